// SPDX-License-Identifier: MIT
/** `lines`: in which lines of a function memory is allocated or asked for; `source`: the lines of a file. */
import { type Lines, passesOn, type SourceLines, type Value } from "../api";
import type { Index } from "./index";
import { Sums, type View, valueIndex } from "./sums";
import { groupSums } from "./table";
import { growTree, shownFrames, type TreeOptions } from "./tree";

/** Places, a file and a line each, as numbers. */
class Places {
  readonly list: [file: number, line: number][] = [];
  private readonly ids = new Map<number, number>();
  constructor(private readonly index: Index) {}
  of(node: number): number {
    const f = this.index.tables.frames[this.index.frame[node]];
    const key = f[1] * 2 ** 26 + f[2];
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.list.length;
      this.ids.set(key, id);
      this.list.push([f[1], f[2]]);
    }
    return id;
  }
}

function rowsOf(view: View, places: Places, self: Sums, total: Sums, value: number, limit: number): Lines {
  const { index } = view;
  const { files } = index.tables;
  const found = places.list.map((_, id) => id).filter((id) => total.samples(id, value) > 0);
  found.sort((a, b) => total.samples(b, value) - total.samples(a, value) || places.list[a][1] - places.list[b][1]);
  return {
    rows: found.slice(0, limit).map((id) => {
      const [file, line] = places.list[id];
      return [files[file] ?? "", line, self.packed(index, id, value), total.packed(index, id, value)];
    }),
    more: Math.max(0, found.length - limit),
  };
}

/** Of a function, by its outermost call in each stack, so that the totals add up to the function's. */
export function linesOf(view: View, name: string, value: Value, limit: number): Lines {
  const { index } = view;
  const wanted = index.tables.functions.indexOf(name);
  const shown = shownFrames(index, view.chosen.selection.hide, true);
  const places = new Places(index);
  const total = new Int32Array(index.nodes).fill(-1);
  const self = new Int32Array(index.nodes).fill(-1);
  for (let i = 1; i < index.nodes; ++i) {
    const above = index.parent[i];
    const here = shown[index.frame[i]] !== 0 && index.functionOf(i) === wanted;
    total[i] = total[above] >= 0 ? total[above] : here ? places.of(i) : -1;
    const passed = shown[index.frame[i]] === 0 || (index.tables.frames[index.frame[i]][5] & passesOn) !== 0;
    // Of an allocation function the blocks are its own: nobody asks for more.
    self[i] = here ? places.of(i) : passed ? self[above] : -1;
  }
  const size = places.list.length;
  return rowsOf(view, places, view.sumBy(size, self), view.sumBy(size, total), valueIndex[value], limit);
}

/** Of a box of the graph: by the lines in which its function was when the stack came to the box. */
export function linesAt(view: View, path: string[], value: Value, limit: number, o: TreeOptions): Lines {
  const { index } = view;
  const tree = growTree(index, o);
  let box = 0;
  for (const name of path) {
    box = tree.parent.findIndex((p, i) => i > box && p === box && tree.names[tree.name[i]] === name);
    if (box < 0) return { rows: [], more: 0 };
  }
  const places = new Places(index);
  const total = new Int32Array(index.nodes).fill(-1);
  if (path.length > 0) {
    // The same tree once more: which frames led to the box?
    growTree(index, o, (at, stack, frame) => {
      if (at === box) total[stack] = places.of(frame);
    });
    if (!o.fromSites) {
      for (let i = 1; i < index.nodes; ++i) if (total[i] < 0) total[i] = total[index.parent[i]];
    }
  }
  const self = total.map((g, i) => (tree.at[i] === box ? g : -1));
  const size = places.list.length;
  return rowsOf(view, places, view.sumBy(size, self), view.sumBy(size, total), valueIndex[value], limit);
}

/** The lines of a file, those of all functions together; each block once in a line. */
export function sourceLines(view: View, path: string, value: Value): SourceLines {
  const { index } = view;
  const { frames, functions, files } = index.tables;
  const file = files.indexOf(path);
  const shown = shownFrames(index, view.chosen.selection.hide, true);
  const lines: number[] = [];
  const parts: Set<string>[] = [];
  const ids = new Map<number, number>();
  const ofFrame = Int32Array.from(frames, (f, k) => {
    if (f[1] !== file || file < 0 || f[2] === 0 || shown[k] === 0) return -1;
    let id = ids.get(f[2]);
    if (id === undefined) {
      id = lines.length;
      ids.set(f[2], id);
      lines.push(f[2]);
      parts.push(new Set());
    }
    parts[id].add(functions[f[0]]);
    return id;
  });
  const ofNode = new Int32Array(index.nodes).fill(-1);
  for (let i = 1; i < index.nodes; ++i) {
    const k = index.frame[i];
    const passed = shown[k] === 0 || (frames[k][5] & passesOn) !== 0;
    ofNode[i] = passed ? ofNode[index.parent[i]] : ofFrame[k];
  }
  const { self, total } = groupSums(view, { names: lines.map(String), ofFrame, ofNode });
  const v = valueIndex[value];
  const rows = lines.map((_, id) => id).filter((id) => total.samples(id, v) > 0);
  rows.sort((a, b) => lines[a] - lines[b]);
  return {
    known: file >= 0,
    rows: rows.map((id) => [lines[id], self.packed(index, id, v), total.packed(index, id, v), [...parts[id]].sort()]),
  };
}
