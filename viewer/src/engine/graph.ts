// SPDX-License-Identifier: MIT
/** `graph` and `around`: trees of amounts, cut to what a page can draw. */
import { type Around, flag, type Graph, type GraphNode, type Value } from "../api";
import { Sums, type View, valueIndex } from "./sums";
import { type Tree, type TreeOptions, bytewise, growTree, shownFrames } from "./tree";
import type { Index } from "./index";

export const mostNodes = 4000;

export interface GraphOptions extends TreeOptions {
  value: Value;
  least: number;
  zoom: string[];
}

/** Totals from the sums of each node's own blocks: children stand after their parents. */
function totals(tree: Tree, own: Sums): Sums {
  const all = new Sums(tree.parent.length, own.picked);
  all.cells.set(own.cells);
  for (let i = tree.parent.length - 1; i > 0; --i) all.fold(i, tree.parent[i]);
  return all;
}

function childrenOf(tree: Tree): number[][] {
  const children: number[][] = tree.parent.map(() => []);
  for (let i = 1; i < tree.parent.length; ++i) children[tree.parent[i]].push(i);
  return children;
}

/** Writes the nodes under `root`, those of at least `least` of it, and at most 4000. */
export class Cutter {
  private readonly children: number[][];
  constructor(
    private readonly index: Index,
    private readonly tree: Tree,
    private readonly own: Sums,
    private readonly all: Sums,
    private readonly value: number,
  ) {
    this.children = childrenOf(tree);
  }

  name(node: number): string {
    return node === 0 ? "(all)" : this.tree.names[this.tree.name[node]];
  }
  /** The node that the path of names leads to; -1 if there is none. */
  find(path: string[]): number {
    let at = 0;
    for (const name of path) {
      const next = this.children[at].find((c) => this.name(c) === name);
      if (next === undefined) return -1;
      at = next;
    }
    return at;
  }

  /** Where the zoom leads to nothing in this selection. */
  nothing(name: string): GraphNode {
    const none = new Sums(1, this.all.picked).packed(this.index, 0, this.value);
    return [name, name.startsWith("0x") ? flag.unnamed : 0, none, none, [], null];
  }

  private samplesUnder(root: number): number[] {
    const found: number[] = [];
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const samples = this.all.samples(node, this.value);
      if (samples > 0) found.push(samples);
      open.push(...this.children[node]);
    }
    return found;
  }

  cut(root: number, least: number): { root: GraphNode; least: number } {
    const whole = this.all.samples(root, this.value);
    let threshold = Math.max(1, Math.ceil(least * whole));
    const sizes = this.samplesUnder(root).filter((s) => s >= threshold);
    if (sizes.length > mostNodes) {
      sizes.sort((a, b) => b - a);
      threshold = sizes[mostNodes] + 1;
      least = threshold / whole;
    }
    return { root: this.write(root, threshold), least };
  }

  /** Without recursion: depths of thousands are usual. */
  private write(root: number, threshold: number): GraphNode {
    const make = (node: number): GraphNode => [
      this.name(node),
      this.tree.flags[node],
      this.own.packed(this.index, node, this.value),
      this.all.packed(this.index, node, this.value),
      [],
      null,
    ];
    const top = make(root);
    const open: [number, GraphNode][] = [[root, top]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [node, written] = next;
      const small: number[] = [];
      const large: number[] = [];
      for (const c of this.children[node]) {
        const samples = this.all.samples(c, this.value);
        if (samples >= threshold) large.push(c);
        else if (samples > 0) small.push(c);
      }
      large.sort(
        (a, b) =>
          this.all.samples(b, this.value) - this.all.samples(a, this.value) ||
          bytewise(this.name(a), this.name(b)),
      );
      for (const c of large) {
        const child = make(c);
        written[4].push(child);
        open.push([c, child]);
      }
      if (small.length > 0) {
        const sums = new Sums(1, this.all.picked);
        for (const c of small) sums.addFrom(this.all, c, 0);
        written[5] = [small.length, sums.packed(this.index, 0, this.value)];
      }
    }
    return top;
  }
}

export function graph(view: View, whole: View, o: GraphOptions): Graph {
  const { index } = view;
  const tree = growTree(index, o);
  const own = view.sumBy(tree.parent.length, tree.at);
  const all = totals(tree, own);
  const value = valueIndex[o.value];
  const cutter = new Cutter(index, tree, own, all, value);
  const root = cutter.find(o.zoom);
  const cut = root < 0 ? { root: cutter.nothing(o.zoom.at(-1)!), least: o.least } : cutter.cut(root, o.least);
  return {
    value: o.value,
    from: o.fromSites ? "sites" : "main",
    least: cut.least,
    total: view.total.packed(index, 0, value),
    whole: whole.total.packed(index, 0, value),
    root: cut.root,
  };
}

/** The callers and the callees of a function, by its outermost occurrence in each stack. */
export function around(view: View, name: string, value: Value, least: number, o: TreeOptions): Around {
  const { index } = view;
  const wanted = index.tables.functions.indexOf(name);
  const shown = shownFrames(index, o.hide, o.inlined);
  // Where the outermost occurrence is above or at each node; 0: nowhere.
  const top = new Uint32Array(index.nodes);
  for (let i = 1; i < index.nodes; ++i) {
    const above = top[index.parent[i]];
    top[i] =
      above !== 0
        ? above
        : wanted >= 0 && index.functionOf(i) === wanted && shown[index.frame[i]] !== 0
          ? i
          : 0;
  }
  // Inlined only if it always is.
  const isInlined = top.every((t, i) => t !== i || i === 0 || index.isInlined(i));
  const build = (path: (leaf: number, occurrence: number) => number[]): GraphNode => {
    const names = index.tables.functions;
    const tree: Tree = { parent: [0], name: [wanted], names, flags: [0], at: new Uint32Array(index.nodes) };
    const known = new Map<number, number>();
    const functions = index.tables.functions.length;
    for (let leaf = 1; leaf < index.nodes; ++leaf) {
      if (top[leaf] === 0 || index.leaves[leaf] === 0) continue;
      let here = 0;
      const seen = new Set<number>(o.fold ? [wanted] : []);
      for (const node of path(leaf, top[leaf])) {
        if (shown[index.frame[node]] === 0) continue;
        const f = index.functionOf(node);
        if (o.fold && seen.has(f)) continue;
        seen.add(f);
        const key = here * functions + f;
        let at = known.get(key);
        if (at === undefined) {
          at = tree.parent.length;
          known.set(key, at);
          tree.parent.push(here);
          tree.name.push(f);
          tree.flags.push(index.flags[index.frame[node]]);
        } else if (!index.isInlined(node)) {
          tree.flags[at] &= ~flag.inlined;
        }
        here = at;
      }
      tree.at[leaf] = here;
    }
    const own = view.sumBy(tree.parent.length, Int32Array.from(tree.at, (at, i) => (top[i] === 0 ? -1 : at)));
    const all = totals(tree, own);
    const { root } = new Cutter(index, tree, own, all, valueIndex[value]).cut(0, least);
    root[0] = name;
    const first = index.tables.frames.findIndex((f) => f[0] === wanted);
    root[1] = first < 0 ? 0 : (index.flags[first] & ~flag.inlined) | (isInlined ? flag.inlined : 0);
    return root;
  };
  const upwards = (from: number, to: number): number[] => {
    const path: number[] = [];
    for (let n = from; n !== to; n = index.parent[n]) path.push(n);
    return path;
  };
  return {
    callers: build((_, occurrence) => upwards(index.parent[occurrence], 0)),
    callees: build((leaf, occurrence) => upwards(leaf, occurrence).reverse()),
  };
}
