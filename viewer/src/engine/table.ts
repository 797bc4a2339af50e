// SPDX-License-Identifier: MIT
/** `table`: what functions, sites, files, modules allocate: src/offline/analysis/function_table. */
import { flag, type PackedAmount, passesOn, type Place, type Table, type Value } from "../api";
import type { Matcher } from "./amount_syntax";
import type { Index } from "./index";
import { objectOf } from "./kinds";
import type { Frame, Tables } from "./tables";
import { Sums, type View, valueIndex } from "./sums";
import { bytewise, shownFrames } from "./tree";

export type Grouping = "function" | "site" | "file" | "module" | "object" | "line" | "domain";

/** "a.cpp:12", or "" where no line is known. The columns, where the trace has them: 255 and 1023 say that it has not. */
export function placeOf(tables: Tables, f: Frame): string {
  if (f[2] === 0) return "";
  const columns = f[4] !== 0 && f[4] !== 1023 ? `:${f[3]}-${f[4]}` : "";
  return `${tables.files[f[1]] ?? ""}:${f[2]}${columns}`;
}

export function moduleOf(name: string, file: string): string {
  const bracket = name.indexOf("(");
  let depth = 0;
  for (let i = bracket < 0 ? name.length : bracket; i-- > 0; ) {
    const c = name[i];
    if (c === ">") ++depth;
    if (c === "<") --depth;
    if (depth > 0) continue;
    if (c === ":" && i > 0 && name[i - 1] === ":") return name.slice(0, i - 1);
    if (c === "." && i > 0 && i + 1 < name.length) return name.slice(0, i);
  }
  if (/^[A-Z]/.test(name) && file.endsWith(".ml")) return name;
  return file.slice(file.lastIndexOf("/") + 1);
}

function nameOf(tables: Tables, f: Frame, by: Grouping): string {
  const name = tables.functions[f[0]];
  const file = tables.files[f[1]] ?? "";
  if (by === "object") return objectOf(tables, f);
  if ((f[5] & flag.unnamed) !== 0) return name;
  switch (by) {
    case "function": return name;
    case "file": return file;
    case "module": return moduleOf(name, file);
    case "domain":  // the frames below theirs are in no group
    case "line": return f[2] === 0 ? `${file} (no line known)` : `${file}:${f[2]}`;
    case "site": break;
  }
  const place = placeOf(tables, f);
  return place === "" ? name : `${name} ${place}`;
}

export interface Groups {
  names: string[];
  /** Of each frame; -1 if it is hidden. */
  ofFrame: Int32Array;
  /** Of the allocating function of each node: the innermost frame that is not hidden. */
  ofNode: Int32Array;
}

export function groupsOf(index: Index, by: Grouping, hide: Matcher[]): Groups {
  const ids = new Map<string, number>();
  const names: string[] = [];
  const shown = shownFrames(index, hide, true);
  const ofFrame = Int32Array.from(index.tables.frames, (f, k) => {
    // Who asks malloc for memory is what one wants to know, as of `memprof top`.
    if (shown[k] === 0 || (f[5] & passesOn) !== 0) return -1;
    if (by === "domain" && k < index.tables.frames.length - index.trace.domains.length) return -1;
    const name = nameOf(index.tables, f, by);
    let id = ids.get(name);
    if (id === undefined) {
      id = names.length;
      ids.set(name, id);
      names.push(name);
    }
    return id;
  });
  const ofNode = new Int32Array(index.nodes).fill(-1);
  for (let i = 1; i < index.nodes; ++i) {
    const g = ofFrame[index.frame[i]];
    ofNode[i] = g >= 0 ? g : ofNode[index.parent[i]];
  }
  return { names, ofFrame, ofNode };
}

/** Self and total of each group. */
export function groupSums(view: View, groups: Groups): { self: Sums; total: Sums } {
  const { index } = view;
  const count = groups.names.length;
  const self = view.sumBy(count, groups.ofNode);
  const below = new Sums(index.nodes, view.chosen.picked);
  below.cells.set(view.byNode.cells);
  for (let i = index.nodes - 1; i > 0; --i) below.fold(i, index.parent[i]);
  const total = new Sums(count, view.chosen.picked);
  const active = new Uint32Array(count);
  index.walk(
    (node) => {
      const g = groups.ofFrame[index.frame[node]];
      if (g >= 0 && active[g]++ === 0) total.addFrom(below, node, g);
    },
    (node) => {
      const g = groups.ofFrame[index.frame[node]];
      if (g >= 0) --active[g];
    },
  );
  return { self, total };
}

export function table(
  view: View,
  by: Grouping,
  value: Value,
  sort: "self" | "total",
  limit: number,
  all: View | null = null,
): Table {
  const { index } = view;
  const groups = groupsOf(index, by, view.chosen.selection.hide);
  const { self, total } = groupSums(view, groups);
  const v = valueIndex[value];
  const [first, second] = sort === "self" ? [self, total] : [total, self];
  const rows = groups.names
    .map((_, g) => g)
    .filter((g) => total.samples(g, v) > 0)
    .sort(
      (a, b) =>
        first.samples(b, v) - first.samples(a, v) ||
        second.samples(b, v) - second.samples(a, v) ||
        bytewise(groups.names[a], groups.names[b]),
    );
  const shown = rows.slice(0, limit);
  return {
    rows: shown.map((g) => [groups.names[g], self.packedSum(index, g), total.packedSum(index, g)]),
    more: Math.max(0, rows.length - limit),
    ...(all === null ? {} : { allocated: allocatedOf(all, groups, shown) }),
    places: by === "function" || by === "site" ? placesOf(view, groups, shown, v) : [],
  };
}

/** What each group allocated itself. */
function allocatedOf(view: View, groups: Groups, shown: number[]): PackedAmount[] {
  const self = view.sumBy(groups.names.length, groups.ofNode);
  return shown.map((g) => self.packed(view.index, g, 0));
}

/** The line of each group that most of its total passes; groups by function have several. */
function placesOf(view: View, groups: Groups, shown: number[], v: number): (Place | null)[] {
  const { frames, files } = view.index.tables;
  const ids = new Map<string, number>();
  const parts: { group: number; file: number; line: number }[] = [];
  const ofFrame = groups.ofFrame.map((group, k) => {
    const [, file, line] = frames[k];
    if (group < 0 || line === 0) return -1;
    const key = `${group}/${file}/${line}`;
    let id = ids.get(key);
    if (id === undefined) {
      id = parts.length;
      ids.set(key, id);
      parts.push({ group, file, line });
    }
    return id;
  });
  const { total } = groupSums(view, { names: parts.map(() => ""), ofFrame, ofNode: new Int32Array(view.index.nodes).fill(-1) });
  const best = new Int32Array(groups.names.length).fill(-1);
  const lines = new Uint32Array(groups.names.length);
  parts.forEach(({ group }, id) => {
    if (total.samples(id, v) === 0) return;
    ++lines[group];
    if (best[group] < 0 || total.samples(id, v) > total.samples(best[group], v)) best[group] = id;
  });
  return shown.map((g) => {
    if (best[g] < 0) return null;
    const { file, line } = parts[best[g]];
    return [files[file], line, lines[g] - 1];
  });
}
