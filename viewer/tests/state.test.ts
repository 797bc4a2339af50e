// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { chipChange, chipsOf, commandLine, faultOf, filterOf, filters } from "../src/filters";
import { selectionNames } from "../src/engine/names";
import { choose, parseSelection } from "../src/engine/selection";
import { change, State, stateNow } from "../src/state";
import { index } from "./support/traces";

describe("the state is the address", () => {
  it("is read and written alike, with repeats, order and hostile texts", () => {
    const text = new URLSearchParams([
      ["function", "=a&b=c"], ["function", "/x|<img>/"], ["panel", "table"], ["zoom", "(all)"], ["search", "é %"],
    ]).toString();
    const state = State.parse(`?${text}`);
    expect(state.toString()).toBe(text);
    expect(state.all("function")).toEqual(["=a&b=c", "/x|<img>/"]);
    expect(State.parse(`#${text}`).toString()).toBe(text);
  });
  it("changes without touching what was", () => {
    const before = State.parse("a=1&zoom=x&zoom=y&b=2");
    const after = before.with({ zoom: ["x"], a: null, c: "3" });
    expect(before.toString()).toBe("a=1&zoom=x&zoom=y&b=2");
    expect(after.toString()).toBe("zoom=x&b=2&c=3");
    expect(after.with({ zoom: null }).toString()).toBe("b=2&c=3");
  });
  it("knows what of it is the selection", () => {
    const state = State.parse("panel=table&size-min=1KiB&hide=malloc&base.live-at=2s");
    expect(state.selection).toEqual([["size-min", "1KiB"], ["hide", "malloc"]]);
    expect(state.base).toEqual([["base.live-at", "2s"]]);
    expect(state.isFiltered).toBe(true);
    expect(State.parse("hide=x").isFiltered).toBe(false);
    expect(state.withoutSelection().toString()).toBe("panel=table&base.live-at=2s");
  });
  it("takes a wrong choice for the first", () => {
    expect(State.parse("value=nonsense").value).toBe("allocated");
    expect(State.parse("value=peak&unit=words").unit).toBe("words");
  });
  it("goes into the browser's history, and back", async () => {
    change({ panel: "table" });
    change({ value: "peak" });
    expect(stateNow().toString()).toBe("panel=table&value=peak");
    expect(location.search || location.hash).toContain("panel=table&value=peak");
    history.back();
    await new Promise((done) => setTimeout(done, 50));
    dispatchEvent(new PopStateEvent("popstate"));
    expect(stateNow().get("panel")).toBe(State.parse(location.search || location.hash).get("panel"));
  });
});

describe("filters", () => {
  it("have a chip for every parameter of the selection", () => {
    const names = filters.flatMap((f) => (f.flag ? [f.id] : f.fields.map((x) => x.name)));
    expect([...names].sort()).toEqual([...selectionNames].sort());
  });
  it("become chips and parameters again", () => {
    let state = new State([]);
    const set = (id: string, values: Record<string, string>, place = -1) => {
      state = state.with(chipChange(state, filterOf(id), place, values));
    };
    set("allocated", { "allocated-after": "1s", "allocated-before": "2s" });
    set("live-at-end", {});
    set("function", { function: "=f" });
    set("function", { function: "/g/" });
    set("size", { "size-min": "1KiB" });
    const chips = chipsOf(state.selection);
    expect(chips.map((c) => c.text)).toEqual([
      "Allocated 1s to 2s", "Live at the end", "Size at least 1KiB",
      "Inside function: =f", "Inside function: /g/",
    ]);
    for (const c of chips) {
      expect(faultOf(c.filter, c.values)).toBeNull();
      expect(state.with(chipChange(state, c.filter, c.place, c.values)).toString()).toBe(state.toString());
    }
    const second = chips[4];
    state = state.with(chipChange(state, second.filter, second.place, { function: "h" }));
    expect(state.all("function")).toEqual(["=f", "h"]);
    state = state.with(chipChange(state, second.filter, 0, null));
    expect(state.all("function")).toEqual(["h"]);
    expect(commandLine(state.selection)).toBe(
      "--allocated-after 1s --allocated-before 2s --live-at-end --function h --size-min 1KiB",
    );
  });
  it.each([
    ["allocated", { "allocated-after": "soon" }, "At or after: 'soon' is no time"],
    ["allocated", { "allocated-after": "3 parsec" }, "At or after: '3 parsec' has no unit of time: us ms s min h"],
    ["allocated", { "allocated-after": "3s", "allocated-before": "2s" }, "The range is empty: it ends before it begins"],
    ["size", { "size-min": "12x" }, "At least: '12x' needs a unit: B KiB MiB GiB TiB, or w kw Mw (words of 8 bytes)"],
    ["size", { "size-max": "-1B" }, "At most: '-1B' is negative"],
    ["function", { function: "/(/" }, "Inside function: '/(/' is no regular expression: "],
    ["domain", { domain: "one" }, "Numbers: 'one' is no list of numbers, as 0,2"],
    ["heap", { heap: "" }, "Nothing is given yet"],
  ] as [string, Record<string, string>, string][])("%s says what is wrong with %o", (id, given, why) => {
    expect(faultOf(filterOf(id), given)).toContain(why);
  });
  it("refuses in the engine what the server refuses", () => {
    const refused = (p: [string, string][]) => () => parseSelection(p);
    expect(refused([["size-min", "12x"]])).toThrow("size-min: '12x'");
    expect(refused([["heap", "minor"], ["not-heap", "minor"]])).toThrow("no heap is left");
    expect(refused([["heap", "huge"]])).toThrow("'huge' is no heap");
    expect(refused([["domain", "70000"]])).toThrow("no domain");
    expect(refused([["live-after", "2s"], ["live-before", "1s"]])).toThrow("the range is empty");
  });
  it("by file, domain and hidden function", () => {
    const loaded = index("flushes");
    const size = (...p: [string, string][]) => choose(loaded, parseSelection(p)).objects.length;
    const all = size();
    expect(size(["file", "queue.ml"]) + size(["not-file", "queue.ml"])).toBe(all);
    expect(size(["file", "queue.ml"])).toBeGreaterThan(0);
    expect(size(["domain", "0"])).toBe(all);
    expect(size(["domain", "1"])).toBe(0);
    expect(size(["hide", "Queue"])).toBe(all);
  });
});
