// SPDX-License-Identifier: MIT
/** `folded`: the lines of `memprof flamegraph`. */
import type { Value } from "../api";
import { type View, valueIndex } from "./sums";
import { bytewise, growTree } from "./tree";

export function folded(view: View, value: Value, inBytes: boolean): string {
  const { index } = view;
  const tree = growTree(index, {
    fromSites: false, fold: true, inlined: true, unknown: false,
    hide: view.chosen.selection.hide,
  });
  const own = view.sumBy(tree.parent.length, tree.at);
  const children: number[][] = tree.parent.map(() => []);
  for (let i = 1; i < tree.parent.length; ++i) children[tree.parent[i]].push(i);
  const name = (i: number) => tree.names[tree.name[i]];
  const lines: string[] = [];
  const open: [number, string][] = [[0, ""]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, above] = next;
    let path = "";
    if (node !== 0) {
      const text = name(node).replace(/;/g, ":").replace(/[\r\n]/g, " ");
      path = above === "" ? text : `${above};${text}`;
      const samples = own.samples(node, valueIndex[value]);
      if (samples > 0 && above !== "") {
        lines.push(`${path} ${inBytes ? Math.round(index.intervals.bytes(samples)[0]) : samples}\n`);
      }
    }
    const sorted = children[node].sort((a, b) => bytewise(name(b), name(a)));
    for (const c of sorted) open.push([c, path]);
  }
  return lines.join("");
}
