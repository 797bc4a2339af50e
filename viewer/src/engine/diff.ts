// SPDX-License-Identifier: MIT
/** `diff`: from a base to the selection, as rows and as a tree: src/offline/analysis/difference. */
import type { Diff, DiffRow, Value } from "../api";
import { chanceOfDifference, chanceOfShares, varianceOfSample } from "../statistics";
import { type View, valueIndex } from "./sums";
import { type Grouping, groupSums, groupsOf } from "./table";
import { diffTree } from "./diff_tree";
import { bytewise, growTree } from "./tree";

export interface DiffOptions {
  by: Grouping;
  compare: "self" | "total" | "paths";
  value: Value;
  normalize: "none" | "total" | "duration";
  least: number;
  limit: number;
}
type Counts = Map<string, [number, number]>;

/** Paths of names, and what is allocated by exactly them. */
function pathSamples(view: View, value: number): Map<string, number> {
  const tree = growTree(view.index, {
    fromSites: false, fold: true, inlined: true, hide: view.chosen.selection.hide,
  });
  const own = view.sumBy(tree.parent.length, tree.at);
  const paths = new Map<string, number>();
  const names = new Array<string>(tree.parent.length).fill("");
  for (let i = 1; i < tree.parent.length; ++i) {
    const above = names[tree.parent[i]];
    const name = tree.names[tree.name[i]];
    names[i] = above === "" ? name : `${above};${name}`;
    const samples = own.samples(i, value);
    if (samples > 0) paths.set(names[i], (paths.get(names[i]) ?? 0) + samples);
  }
  return paths;
}

function rowSamples(view: View, o: DiffOptions): Map<string, number> {
  const value = valueIndex[o.value];
  if (o.compare === "paths") return pathSamples(view, value);
  const groups = groupsOf(view.index, o.by, view.chosen.selection.hide);
  const { self, total } = groupSums(view, groups);
  const sums = o.compare === "self" ? self : total;
  const result = new Map<string, number>();
  groups.names.forEach((name, g) => {
    if (sums.samples(g, value) > 0) result.set(name, sums.samples(g, value));
  });
  return result;
}

function scaleOf(view: View, first: View, o: DiffOptions): number {
  const bytes = view.index.intervals.bytesPerSample;
  const value = valueIndex[o.value];
  if (o.normalize === "total") {
    const own = view.total.samples(0, value) * bytes;
    const wanted = first.total.samples(0, value) * first.index.intervals.bytesPerSample;
    return own > 0 ? (bytes * wanted) / own : bytes;
  }
  const duration = view.index.trace.duration_us;
  return o.normalize === "duration" && duration > 0 ? (bytes * 1e6) / duration : bytes;
}

/** What samples stand for on one side, and how they vary. */
interface Side {
  scale: number;
  /** Of a count, over its mean. */
  variance: number;
  whole: number;
}

/** Two counts as amounts, and what of their difference may be chance: analysis::compare. */
export class Comparison {
  readonly before: Side;
  readonly after: Side;
  constructor(
    before: View,
    after: View,
    readonly o: DiffOptions,
  ) {
    const side = (view: View): Side => ({
      scale: scaleOf(view, before, o),
      variance: varianceOfSample(view.index.trace.sample_rate, view.chosen.picked || o.value === "peak"),
      whole: view.total.samples(0, valueIndex[o.value]),
    });
    this.before = side(before);
    this.after = side(after);
  }
  /** The standard error of the difference. */
  error(b: number, a: number): number {
    const of = (n: number, { scale, variance, whole }: Side) => {
      const shared = this.o.normalize === "total" && whole > 0 ? 1 - n / whole : 1;
      return n * shared * variance * scale ** 2;
    };
    return Math.sqrt(of(b, this.before) + of(a, this.after));
  }
  /** Of a difference as large as this if both runs did the same. At rate 1 there is no error. */
  chance(b: number, a: number): number {
    const [before, after] = [this.before, this.after];
    const shares = this.o.normalize === "total";
    if (this.error(b, a) <= 0) {
      const same = shares ? b * after.whole === a * before.whole : b * before.scale === a * after.scale;
      return same || (shares && b === before.whole && a === after.whole) ? 1 : 0;
    }
    const poisson = (n: number, { variance }: Side) => (variance <= 1 ? n : Math.round(n / variance));
    if (shares) {
      return chanceOfShares(
        poisson(a, after), poisson(after.whole, after), poisson(b, before), poisson(before.whole, before),
      );
    }
    return chanceOfDifference(
      poisson(a, after), after.scale * Math.max(1, after.variance),
      poisson(b, before), before.scale * Math.max(1, before.variance),
    );
  }
}

export function diff(before: View, after: View, o: DiffOptions): Diff {
  const both = new Comparison(before, after, o);
  const [scaleB, scaleA] = [both.before.scale, both.after.scale];
  const row = (name: string, b: number, a: number, threshold: number): DiffRow => {
    const chance = both.chance(b, a);
    return [name, b * scaleB, a * scaleA, both.error(b, a), chance, chance < threshold ? 1 : 0];
  };
  const counts: Counts = new Map();
  for (const [name, n] of rowSamples(before, o)) counts.set(name, [n, 0]);
  for (const [name, n] of rowSamples(after, o)) counts.set(name, [counts.get(name)?.[0] ?? 0, n]);
  const change = (r: DiffRow) => Math.abs(r[2] - r[1]);
  const names = [...counts.keys()].sort(bytewise);
  const rows = names
    .map((name) => row(name, ...counts.get(name)!, 0.05 / names.length))
    .sort((x, y) => change(y) - change(x));
  const v = valueIndex[o.value];
  const total = row("total", before.total.samples(0, v), after.total.samples(0, v), 0.05);
  return {
    rows: rows.slice(0, o.limit),
    more: Math.max(0, rows.length - o.limit),
    total,
    graph: o.compare === "paths" ? diffTree(before, after, both) : null,
  };
}

