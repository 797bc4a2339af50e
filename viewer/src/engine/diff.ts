// SPDX-License-Identifier: MIT
/** `diff`: from a base to the selection, as rows and as a tree: src/offline/analysis/difference. */
import type { Diff, DiffRow } from "../api";
import { Comparison, type DiffOptions } from "./comparison";
import { type View, valueIndex } from "./sums";
import { groupSums, groupsOf } from "./table";
import { diffTree } from "./diff_tree";
import { bytewise, growTree } from "./tree";

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

