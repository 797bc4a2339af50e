// SPDX-License-Identifier: MIT
/** Answers the questions of viewer/README.md from an index. */
import { type Parameters, type Route, RouteError, type Trace, type Value } from "../api";
import { diff } from "./diff";
import { byDomain } from "./domains";
import { folded } from "./folded";
import { around, graph } from "./graph";
import type { Index } from "./index";
import { linesAt, linesOf, sourceLines } from "./lines";
import { histograms, promotion, scatter, survival } from "./lifetimes";
import { selectionNames } from "./names";
import { choose, parseSelection } from "./selection";
import { ages, series, stacked } from "./series";
import { View } from "./sums";
import { suspects } from "./suspects";
import { type Grouping, table } from "./table";
import { wrappers } from "./wrappers";

class Options {
  constructor(private readonly parameters: Parameters) {}
  all(name: string): string[] {
    return this.parameters.filter(([n]) => n === name).map(([, v]) => v);
  }
  one<T extends string>(name: string, allowed: readonly T[]): T {
    const text = this.all(name).at(-1);
    if (text === undefined || text === "") return allowed[0];
    if (!(allowed as readonly string[]).includes(text)) {
      throw new RouteError(`${name}: '${text}' is none of ${allowed.join(", ")}`, name);
    }
    return text as T;
  }
  /** "FROM,TO" in microseconds. */
  window(): [number, number] | null {
    const text = this.all("window").at(-1);
    if (text === undefined) return null;
    const [, from, to] = /^(\d{1,15}),(\d{1,15})$/.exec(text) ?? [];
    if (from === undefined || Number(from) >= Number(to)) {
      throw new RouteError(`window: '${text}' is no range, as 0,1000`, "window");
    }
    return [Number(from), Number(to)];
  }
  number(name: string, usual: number, least: number, most: number): number {
    const text = this.all(name).at(-1);
    if (text === undefined || text === "") return usual;
    const n = Number(text);
    if (!(n >= least && n <= most)) {
      throw new RouteError(`${name}: '${text}' is not from ${least} to ${most}`, name);
    }
    return n;
  }
}

const ofTree = ["value", "recursion", "inlined", "least"];
/** What each question takes besides the selection. */
const routeNames: Record<Route, string[]> = {
  graph: [...ofTree, "from", "zoom", "boxes", "split"],
  around: ofTree,
  table: ["by", "value", "sort", "limit"],
  series: ["points", "window"],
  stacked: ["by", "n", "points"],
  histograms: [],
  scatter: ["points"],
  survival: ["functions"],
  promotion: ["limit"],
  ages: ["bands", "points"],
  suspects: [],
  diff: ["by", "compare", "value", "normalize", "least", "limit"],
  folded: ["value", "unit"],
  lines: [...ofTree, "from", "zoom", "boxes", "split", "limit"],
  source: ["value", "path"],
  wrappers: [],
};

const values: readonly Value[] = ["allocated", "in_use", "peak"];
const groupings: readonly Grouping[] = ["function", "site", "file", "module", "object", "line", "domain"];

/** One trace in the page, with the views of the last selections. */
class Loaded {
  readonly trace: Trace;
  readonly whole: View;
  private readonly views = new Map<string, View>();
  private readonly mostViews: number;
  private split: Loaded | null = null;

  constructor(readonly index: Index) {
    // A view has some 100 bytes for each node and 5 for each block.
    const size = 100 * index.nodes + 5 * index.objects;
    this.mostViews = Math.max(3, Math.min(12, Math.floor(2 ** 28 / size)));
    this.whole = new View(index, choose(index, parseSelection([])));
    this.trace = {
      ...index.trace,
      total: this.whole.total.sum(index, 0),
      never_over: index.intervals.bytes(this.whole.peak.samples, false)[2],
      peak_time_us: index.peakTime,
      growing: false,
      other: null,
    };
  }

  /** The same, each domain's stacks by themselves. */
  get ofDomains(): Loaded {
    return (this.split ??= new Loaded(byDomain(this.index)));
  }

  view(parameters: Parameters): View {
    const chosen = parameters.filter(([n]) => selectionNames.includes(n));
    if (chosen.length === 0) return this.whole;
    const key = new URLSearchParams(chosen).toString();
    let view = this.views.get(key);
    if (view === undefined) {
      view = new View(this.index, choose(this.index, parseSelection(chosen)));
      if (this.views.size >= this.mostViews) this.views.delete(this.views.keys().next().value!);
    } else {
      this.views.delete(key);
    }
    this.views.set(key, view);
    return view;
  }
}

/** The last `function` is the one looked at, those before it are the selection's. */
function lastFunction(here: Loaded, parameters: Parameters): [View, string] {
  const last = parameters.findLastIndex(([n]) => n === "function");
  if (last < 0) throw new RouteError("function: of which function?", "function");
  return [here.view(parameters.filter((_, k) => k !== last)), parameters[last][1]];
}

export class Engine {
  private readonly main: Loaded;
  private readonly second: Loaded | null;

  constructor(index: Index, other: Index | null = null) {
    this.main = new Loaded(index);
    this.second = other === null ? null : new Loaded(other);
  }

  get trace(): Trace {
    return { ...this.main.trace, other: this.second?.trace ?? null };
  }

  private loaded(other: boolean): Loaded {
    if (!other) return this.main;
    if (this.second === null) throw new RouteError("other: there is no second trace", "other");
    return this.second;
  }

  answer(route: Route, parameters: Parameters): unknown {
    const o = new Options(parameters);
    const known = [...selectionNames, ...(routeNames[route] ?? []), "other"];
    for (const [name] of parameters) {
      const isBase = route === "diff" && name.startsWith("base.");
      if (!isBase && !known.includes(name)) {
        throw new RouteError(`${name}: there is no such parameter here`, name);
      }
    }
    const by = o.one("by", groupings);
    if (route === "diff" && by === "domain") throw new RouteError("by: domains are not compared", "by");
    const trace = this.loaded(o.all("other").includes("1"));
    const here = by === "domain" || o.one("split", ["none", "domain"]) === "domain" ? trace.ofDomains : trace;
    const view = here.view(parameters);
    const { whole } = here;
    const value = o.one("value", values);
    const { hide } = view.chosen.selection;
    const tree = {
      fromSites: o.one("from", ["main", "sites"]) === "sites",
      fold: o.one("recursion", ["fold", "keep"]) === "fold",
      inlined: o.one("inlined", ["1", "0"]) === "1",
      hide,
      by: o.one("boxes", ["function", "object"]),
    };
    const least = o.number("least", 0.001, 0, 1);
    switch (route) {
      case "graph":
        return graph(view, whole, { ...tree, value, least, zoom: o.all("zoom") });
      case "table":
        return table(
          view, by, value, o.one("sort", ["self", "total"]), o.number("limit", 500, 1, 100_000),
          o.all("freed-within").length > 0 ? here.view(parameters.filter(([n]) => n !== "freed-within")) : null,
        );
      case "around": {
        const [rest, name] = lastFunction(here, parameters);
        return around(rest, name, value, least, tree);
      }
      case "lines": {
        const path = o.all("zoom");
        const limit = o.number("limit", 20, 1, 100_000);
        if (path.length > 0) return linesAt(view, path, value, limit, tree);
        const [rest, name] = lastFunction(here, parameters);
        return linesOf(rest, name, value, limit);
      }
      case "wrappers":
        return wrappers(view);
      case "source":
        return sourceLines(view, o.all("path").at(-1) ?? "", value);
      case "series":
        return series(view, whole, o.number("points", 450, 1, 10_000), o.window());
      case "stacked":
        return stacked(view, by, o.number("n", 8, 1, 100), o.number("points", 200, 1, 10_000));
      case "histograms":
        return histograms(view);
      case "scatter":
        return scatter(view, o.number("points", 4000, 1, 100_000));
      case "survival": {
        const names = o.all("functions");
        if (names.length > 16) throw new RouteError("functions: more than 16", "functions");
        const under = names.map((name) => ({
          name,
          view: here.view([...parameters, ["function", `=${name}`]]),
        }));
        return survival(view, under);
      }
      case "promotion":
        return promotion(view, o.number("limit", 100, 1, 100_000));
      case "ages":
        return ages(view, o.number("bands", 6, 1, 20), o.number("points", 200, 1, 10_000));
      case "suspects":
        return suspects(view);
      case "diff": {
        const base = parameters
          .filter(([n]) => n.startsWith("base."))
          .map(([n, v]) => [n.slice(5), v] as [string, string]);
        const before = this.loaded(base.some(([n, v]) => n === "other" && v === "1")).view(base);
        const compare = o.one("compare", ["self", "total", "paths"]);
        const normalize = o.one("normalize", ["none", "total", "duration"]);
        const limit = o.number("limit", 500, 1, 100_000);
        return diff(before, view, { by, compare, value, normalize, least, limit });
      }
      case "folded":
        return folded(view, value, o.one("unit", ["samples", "bytes"]) === "bytes");
    }
    throw new RouteError(`there is no question ${route as string}`, null, 404);
  }
}
