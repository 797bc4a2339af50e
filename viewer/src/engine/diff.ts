// SPDX-License-Identifier: MIT
/** /api/diff: from a base to the selection, as rows and as a tree: src/analysis/difference. */
import type { Diff, DiffNode, DiffRow, Value } from "../api";
import { chanceOfDifference } from "../statistics";
import { type View, valueIndex } from "./sums";
import { type Grouping, groupSums, groupsOf } from "./table";
import { growTree } from "./tree";

export interface DiffOptions {
  by: Grouping;
  compare: "self" | "total" | "paths";
  value: Value;
  normalize: "none" | "total" | "duration";
}
type Counts = Map<string, [number, number]>;

/** Paths of names, and what is allocated by exactly them. */
function pathSamples(view: View, value: number): Map<string, number> {
  const tree = growTree(view.index, {
    fromSites: false, fold: true, inlined: true, hide: view.chosen.selection.hide,
  });
  const own = view.sumBy(tree.parent.length, (i) => tree.at[view.index.stack[i]]);
  const paths = new Map<string, number>();
  const names = new Array<string>(tree.parent.length).fill("");
  for (let i = 1; i < tree.parent.length; ++i) {
    const above = names[tree.parent[i]];
    const name = view.index.tables.functions[tree.name[i]];
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

export function diff(before: View, after: View, o: DiffOptions): Diff {
  const scaleB = scaleOf(before, before, o);
  const scaleA = scaleOf(after, before, o);
  const rateB = before.index.trace.sample_rate;
  const rateA = after.index.trace.sample_rate;
  const row = (name: string, b: number, a: number, threshold: number): DiffRow => {
    const error = Math.sqrt(b * (1 - rateB) * scaleB ** 2 + a * (1 - rateA) * scaleA ** 2);
    const same = b * scaleB === a * scaleA;
    const chance = error > 0 ? chanceOfDifference(a, scaleA, b, scaleB) : same ? 1 : 0;
    return [name, b * scaleB, a * scaleA, error, chance, chance < threshold ? 1 : 0];
  };
  const counts: Counts = new Map();
  for (const [name, n] of rowSamples(before, o)) counts.set(name, [n, 0]);
  for (const [name, n] of rowSamples(after, o)) counts.set(name, [counts.get(name)?.[0] ?? 0, n]);
  const change = (r: DiffRow) => Math.abs(r[2] - r[1]);
  const names = [...counts.keys()].sort();
  const rows = names
    .map((name) => row(name, ...counts.get(name)!, 0.05 / names.length))
    .sort((x, y) => change(y) - change(x));
  const v = valueIndex[o.value];
  const total = row("total", before.total.samples(0, v), after.total.samples(0, v), 0.05);
  const tests = Math.max(1, names.length);
  return { rows, total, graph: o.compare === "paths" ? graphOf(before, after, v, row, tests) : null };
}

/** The union of both trees. Width: the sum of changes below; nodes of less than 1/1000 are cut. */
function graphOf(
  before: View,
  after: View,
  value: number,
  row: (name: string, b: number, a: number, threshold: number) => DiffRow,
  tests: number,
): DiffNode {
  interface Built {
    name: string;
    own: [number, number];
    all: [number, number];
    flags: number;
    children: Map<string, Built>;
  }
  const make = (name: string): Built => ({
    name, own: [0, 0], all: [0, 0], flags: 0, children: new Map(),
  });
  const root = make("(all)");
  const order: [Built, Built | null][] = [[root, null]];
  [before, after].forEach((view, side) => {
    const tree = growTree(view.index, {
      fromSites: false, fold: true, inlined: true, hide: view.chosen.selection.hide,
    });
    const own = view.sumBy(tree.parent.length, (i) => tree.at[view.index.stack[i]]);
    const at: Built[] = [root];
    root.own[side] += own.samples(0, value);
    for (let i = 1; i < tree.parent.length; ++i) {
      const above = at[tree.parent[i]];
      const name = view.index.tables.functions[tree.name[i]];
      let node = above.children.get(name);
      if (node === undefined) {
        node = make(name);
        node.flags = tree.flags[i];
        above.children.set(name, node);
        order.push([node, above]);
      }
      at.push(node);
      node.own[side] += own.samples(i, value);
    }
  });
  const widths = new Map<Built, number>();
  const bytes = (n: Built, of: "own" | "all") => row(n.name, n[of][0], n[of][1], 0.05 / tests);
  for (let k = order.length - 1; k >= 0; --k) {
    const [node, above] = order[k];
    for (const side of [0, 1]) node.all[side] += node.own[side];
    const own = bytes(node, "own");
    widths.set(node, (widths.get(node) ?? 0) + Math.abs(own[2] - own[1]));
    if (above !== null) {
      for (const side of [0, 1]) above.all[side] += node.all[side];
      widths.set(above, (widths.get(above) ?? 0) + widths.get(node)!);
    }
  }
  const least = (widths.get(root) ?? 0) / 1000;
  const write = (n: Built): DiffNode => {
    const r = bytes(n, "all");
    return [n.name, n.flags, r[1], r[2], r[5], [], null];
  };
  const top = write(root);
  const open: [Built, DiffNode][] = [[root, top]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, written] = next;
    const kept = [...node.children.values()]
      .filter((c) => widths.get(c)! > 0 && widths.get(c)! >= least)
      .sort((x, y) => widths.get(y)! - widths.get(x)!);
    for (const c of kept) {
      const child = write(c);
      written[5].push(child);
      open.push([c, child]);
    }
    if (kept.length < node.children.size) written[6] = node.children.size - kept.length;
  }
  return top;
}
