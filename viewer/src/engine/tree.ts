// SPDX-License-Identifier: MIT
/** The tree of functions that a flame graph shows: as src/offline/analysis/call_tree. */
import { flag, passesOn } from "../api";
import type { Index } from "./index";
import { objectsOf } from "./kinds";
import type { Matcher } from "./amount_syntax";

const encoder = new TextEncoder();
/** Names in the order of their bytes in UTF-8, as C++ has them: equal to that of code points. */
export function bytewise(a: string, b: string): number {
  if (a === b) return 0;
  // By code units it is wrong only where surrogates meet what is above them.
  if (!/[\ud800-\udfff]/.test(a + b)) return a < b ? -1 : 1;
  const [x, y] = [encoder.encode(a), encoder.encode(b)];
  for (let i = 0; i < Math.min(x.length, y.length); ++i) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}

export interface TreeOptions {
  fromSites: boolean;
  fold: boolean;
  inlined: boolean;
  hide: Matcher[];
  /** By what frames are called; by their functions unless said otherwise. */
  by?: "function" | "object";
  /** Code of which nothing is known; shown unless said otherwise. */
  unknown?: boolean;
}

/** Parents before their children; 0 is the root, which stands for all. */
export interface Tree {
  parent: number[];
  /** In `names`; -1 for the root. */
  name: number[];
  names: string[];
  flags: number[];
  /** The tree's node of each node of the index: where its own blocks count. */
  at: Uint32Array;
}

/** Per frame: whether it is shown at all. */
export function shownFrames(index: Index, hide: Matcher[], inlined: boolean): Uint8Array {
  const { functions, frames } = index.tables;
  const hidden = functions.map((f) => hide.some((m) => m(f)));
  return Uint8Array.from(frames, (f) => {
    if ((f[5] & flag.unnamed) !== 0) return 1;
    return hidden[f[0]] || (!inlined && (f[5] & flag.inlined) !== 0) ? 0 : 1;
  });
}

/** What frames are called, and their flags. */
interface Calling {
  names: string[];
  ofFrame: ArrayLike<number>;
  flags: ArrayLike<number>;
}
function callingOf(index: Index, by: TreeOptions["by"]): Calling {
  if (by === "object") return objectsOf(index.tables);
  return { names: index.tables.functions, ofFrame: index.tables.frames.map((f) => f[0]), flags: index.flags };
}

class Grower {
  readonly tree: Tree;
  private readonly children = new Map<number, number>();
  constructor(
    private readonly index: Index,
    private readonly calling: Calling,
  ) {
    const { names } = calling;
    this.tree = { parent: [0], name: [-1], names, flags: [0], at: new Uint32Array(index.nodes) };
  }
  nameOf(node: number): number {
    return this.calling.ofFrame[this.index.frame[node]];
  }
  below(parent: number, node: number): number {
    const name = this.nameOf(node);
    const flags = this.calling.flags[this.index.frame[node]];
    const key = parent * this.calling.names.length + name;
    let at = this.children.get(key);
    if (at === undefined) {
      at = this.tree.parent.length;
      this.children.set(key, at);
      this.tree.parent.push(parent);
      this.tree.name.push(name);
      this.tree.flags.push(flags);
    } else if ((flags & flag.inlined) === 0) {
      // Inlined only if it always is.
      this.tree.flags[at] &= ~flag.inlined;
    }
    return at;
  }
}

/** entered: a node of the tree, on the way of which stack, by which node of the index; as it grows. */
export function growTree(
  index: Index, o: TreeOptions, entered?: (at: number, stack: number, node: number) => void,
): Tree {
  const grower = new Grower(index, callingOf(index, o.by));
  const shown = shownFrames(index, o.hide, o.inlined);
  if (o.unknown === false) {
    index.tables.frames.forEach((f, k) => {
      if ((f[5] & flag.unnamed) !== 0) shown[k] = 0;
    });
  }
  const { at } = grower.tree;
  if (o.fromSites) {
    // Who asks the library for memory comes first, as in `memprof tree --bottom-up`.
    index.tables.frames.forEach((f, k) => {
      if ((f[5] & passesOn) !== 0) shown[k] = 0;
    });
  } else {
    const active = new Uint32Array(grower.tree.names.length);
    index.walk(
      (node) => {
        const above = at[index.parent[node]];
        if (shown[index.frame[node]] === 0) {
          at[node] = above;
          return;
        }
        const name = grower.nameOf(node);
        const first = active[name]++ === 0;
        const same = o.by === "object" && grower.tree.name[above] === name;
        const enters = (first || !o.fold) && !same;
        at[node] = enters ? grower.below(above, node) : above;
        if (enters) entered?.(at[node], node, node);
      },
      (node) => {
        if (shown[index.frame[node]] !== 0) --active[grower.nameOf(node)];
      },
    );
    return grower.tree;
  }
  const seen = new Uint32Array(grower.tree.names.length);
  const { leaves } = index;
  for (let leaf = 1; leaf < index.nodes; ++leaf) {
    if (leaves[leaf] === 0) continue;
    let here = 0;
    if (index.ofDomains) {
      let top = leaf;
      while (index.parent[top] !== 0) top = index.parent[top];
      here = grower.below(0, top);
      entered?.(here, leaf, top);
    }
    for (let node = leaf; node !== 0; node = index.parent[node]) {
      if (index.ofDomains && index.parent[node] === 0) break;
      if (shown[index.frame[node]] === 0) continue;
      const name = grower.nameOf(node);
      if (o.fold && seen[name] === leaf) continue;
      if (o.by === "object" && grower.tree.name[here] === name) continue;
      seen[name] = leaf;
      here = grower.below(here, node);
      entered?.(here, leaf, node);
    }
    at[leaf] = here;
  }
  return grower.tree;
}
