// SPDX-License-Identifier: MIT
// The engine against what the reference implementation counted: the 14 filters of each trace, and
// the very objects of those of memtrace_viewer's own tests.
import { describe, expect, it } from "vitest";
import type { Parameters, Table } from "../src/api";
import { choose, parseSelection } from "../src/engine/selection";
import { Engine } from "../src/engine/engine";
import { View } from "../src/engine/sums";
import { facts, golden, index, names } from "./support/traces";

/** The golden filters' names as parameters. */
function parametersOf(filter: string): Parameters {
  return filter.split(", ").flatMap((part): Parameters => {
    let m: RegExpExecArray | null;
    if (part === "live at peak") return [["live-at-peak", "1"]];
    if (part.startsWith("live at end of trace")) return [["live-at-end", "1"]];
    if ((m = /^live at (\d+) us$/.exec(part))) return [["live-at", `${m[1]}us`]];
    if ((m = /^allocated between (\d+) and (\d+) us$/.exec(part))) {
      return [["allocated-after", `${m[1]}us`], ["allocated-before", `${m[2]}us`]];
    }
    if ((m = /^live between (\d+) and (\d+) us$/.exec(part))) {
      return [["live-after", `${m[1]}us`], ["live-before", `${m[2]}us`]];
    }
    if ((m = /^collected between (\d+) and (\d+) us$/.exec(part))) {
      return [["collected-after", `${m[1]}us`], ["collected-before", `${m[2]}us`]];
    }
    if ((m = /^lifetime at least (\d+) us$/.exec(part))) return [["lifetime-min", `${m[1]}us`]];
    if ((m = /^lifetime at most (\d+) us$/.exec(part))) return [["lifetime-max", `${m[1]}us`]];
    if ((m = /^size at least (\d+) bytes$/.exec(part))) return [["size-min", `${m[1]}B`]];
    if ((m = /^on the (\w+) heap$/.exec(part))) return [["heap", m[1]]];
    if ((m = /^not on the (\w+) heap$/.exec(part))) return [["not-heap", m[1]]];
    if ((m = /^allocated at or after (\d+) us$/.exec(part))) return [["allocated-after", `${m[1]}us`]];
    if ((m = /^(not )?inside a call to a function whose name (equals|contains) (.*)$/.exec(part))) {
      return [[m[1] ? "not-function" : "function", `${m[2]}:${m[3]}`]];
    }
    throw new Error(`unknown filter: ${part}`);
  });
}

describe.each(names)("%s", (name) => {
  const known = facts(name);
  const loaded = index(name);
  it("has the peak, the totals and what is left of the reference", () => {
    const view = new View(loaded, choose(loaded, parseSelection([])));
    expect(view.peak.samples).toBe(known.peak_live_in_file_order.samples);
    expect(view.peak.time_us).toBe(known.peak_live_in_file_order.time_us);
    expect(view.total.samples(0, 0)).toBe(known.samples.total);
    expect(view.total.samples(0, 1)).toBe(known.live_at_end.samples);
  });
  const filters = Object.entries(known.viewer_filters ?? {});
  it("has 14 filters to compare, or none is known", () => {
    expect(filters.length).toBe(known.viewer_filters === undefined ? 0 : 14);
  });
  if (filters.length > 0) it.each(filters)("%s", (filter, wanted) => {
    const chosen = choose(loaded, parseSelection(parametersOf(filter)));
    const samples = chosen.objects.reduce((sum, i) => sum + chosen.samples[i], 0);
    if (filter === "live at peak" && known.info.sample_rate < 1) {
      // Ours are of the moments that halves of the samples pick: no more than chance apart.
      expect(Math.abs(samples - wanted.samples)).toBeLessThan(10 + 6 * Math.sqrt(wanted.samples));
      return;
    }
    if (filter === "live at peak" && known.duration_us === known.peak_live_in_file_order.time_us) {
      // The reference has the survivors collected at the end, we have them live there.
      expect(samples).toBe(known.live_at_end.samples);
      return;
    }
    expect({ objects: chosen.objects.length, samples }).toEqual({
      objects: wanted.objects,
      samples: wanted.samples,
    });
  });
  it("has the reference's functions and sites", () => {
    const engine = new Engine(loaded);
    const rows = (by: string, sort: string) =>
      (engine.answer("table", [["by", by], ["sort", sort], ["limit", "100000"]]) as Table).rows;
    const self = new Map(rows("site", "self").map((r) => [r[0], r[1][0][0]]));
    for (const [site, samples] of known.top_allocation_sites_samples ?? []) {
      if (/@|:\d+:\d+-\d+$/.test(site) && self.has(site)) expect(self.get(site)).toBe(samples);
    }
    const total = new Map(rows("function", "total").map((r) => [r[0], r[2][0][0]]));
    for (const [f, samples] of known.top_functions_inclusive_samples ?? []) {
      expect([f, total.get(f)]).toEqual([f, samples]);
    }
  });
  it("folds stacks as the reference does", () => {
    const wanted = golden(`${name}.folded`);
    if (wanted === null) return;
    const lines = (text: string) => text.split("\n").filter((l) => !/(^|;)0x[0-9a-f]+[; ]/.test(l));
    const own = new Engine(loaded).answer("folded", [["unit", "samples"]]) as string;
    if (lines(own).length === own.split("\n").length) expect(own).toBe(wanted);
  });
});

it("chooses exactly the objects of memtrace_viewer's own tests", () => {
  const wanted = golden("viewer_test_repo.filters.json");
  if (wanted === null) return;
  const loaded = index("viewer_test_repo");
  const ids = (...p: Parameters) => [...choose(loaded, parseSelection(p)).objects];
  const { filters } = JSON.parse(wanted) as { filters: Record<string, number[]> };
  const expected = Object.values(filters);
  expect([
    ids(["size-min", "1025B"]),
    ids(["lifetime-max", "4us"]),
    ids(["function", "Array"]),
    ids(["not-function", ".b"]),
    ids(["not-heap", "minor"]),
    ids(["heap", "minor"]),
  ]).toEqual(expected);
});

it("says of the trace what it was given", () => {
  expect(new Engine(index("tiny")).trace.file).toBe("tiny.ctf");
});
