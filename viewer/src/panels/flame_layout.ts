// SPDX-License-Identifier: MIT
/** From a tree of amounts to boxes: the largest child first, those too narrow to be seen left out. */
import type { GraphNode, PackedAmount } from "../api";
import { inUnit, type Unit } from "../format";

export interface Box {
  /** Names from the root: no two boxes have the same. */
  path: string[];
  node: GraphNode;
  parent: number;
  children: number[];
  depth: number;
  /** Shares of the width. */
  x: number;
  width: number;
  /** The small children of its parent, drawn as one. */
  hidden: boolean;
}

export interface LayoutOptions {
  unit: Unit;
  wordBytes: number;
  byName: boolean;
  /** Boxes narrower than this share are left out. */
  narrowest: number;
}

const nothing: PackedAmount = [0, 0, 0, 0, 0, 0, 0, 0];

export function layout(root: GraphNode, o: LayoutOptions): Box[] {
  const size = (a: PackedAmount) => inUnit(a, o.unit, o.wordBytes)[0];
  const all = Math.max(size(root[3]), 1e-300);
  const boxes: Box[] = [
    { path: [], node: root, parent: -1, children: [], depth: 0, x: 0, width: 1, hidden: false },
  ];
  for (let k = 0; k < boxes.length; ++k) {
    const box = boxes[k];
    if (box.hidden) continue;
    const [, , , , children, small] = box.node;
    const sorted = [...children].sort((a, b) =>
      o.byName ? (a[0] < b[0] ? -1 : 1) : size(b[3]) - size(a[3]) || (a[0] < b[0] ? -1 : 1),
    );
    let { x } = box;
    const put = (node: GraphNode, hidden: boolean) => {
      const width = size(node[3]) / all;
      if (width >= o.narrowest) {
        box.children.push(boxes.length);
        boxes.push({
          path: hidden ? [...box.path, ""] : [...box.path, node[0]],
          node, parent: k, children: [], depth: box.depth + 1, x, width, hidden,
        });
      }
      x += width;
    };
    for (const child of sorted) put(child, false);
    if (small !== null && small !== undefined) {
      const name = `${small[0].toLocaleString("en")} small, hidden`;
      put([name, 0, nothing, small[1], [], null], true);
    }
  }
  return boxes;
}

export function boxAt(boxes: Box[], path: string[]): number {
  const key = path.join("\0");
  return boxes.findIndex((b) => b.path.length === path.length && b.path.join("\0") === key);
}

/** The place that a key leads to from a box; -1: nowhere. `down`: the children are drawn below. */
export function neighbour(boxes: Box[], at: number, key: string, down: boolean): number {
  const box = boxes[at];
  if (box === undefined) return -1;
  const towardsChildren = down ? ["ArrowDown", "j"] : ["ArrowUp", "k"];
  const towardsParent = down ? ["ArrowUp", "k"] : ["ArrowDown", "j"];
  if (towardsChildren.includes(key)) {
    return box.children.reduce(
      (best, c) => (best < 0 || boxes[c].width > boxes[best].width ? c : best),
      -1,
    );
  }
  if (towardsParent.includes(key)) return box.parent;
  const step = ["ArrowRight", "l"].includes(key) ? 1 : ["ArrowLeft", "h"].includes(key) ? -1 : 0;
  if (step === 0) return -1;
  // Along the row, over the edges of parents.
  const row = boxes
    .map((b, k) => ({ b, k }))
    .filter(({ b }) => b.depth === box.depth)
    .sort((a, b) => a.b.x - b.b.x);
  return row[row.findIndex(({ k }) => k === at) + step]?.k ?? -1;
}

/** What the boxes with a matching name hold, each part counted once. */
export function matched(
  root: GraphNode,
  matches: (name: string) => boolean,
  size: (a: PackedAmount) => number,
): { amount: number; functions: Set<string> } {
  const functions = new Set<string>();
  let amount = 0;
  const open: [GraphNode, boolean][] = [[root, false]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, within] = next;
    const hit = node !== root && matches(node[0]);
    if (hit) {
      functions.add(node[0]);
      if (!within) amount += size(node[3]);
    }
    for (const c of node[4]) open.push([c, within || hit]);
  }
  return { amount, functions };
}
