// SPDX-License-Identifier: MIT
/** Two trees, one upon the other, with what changed. */
import { type DiffNode, flag } from "../api";
import type { Comparison } from "./comparison";
import { mostNodes } from "./graph";
import { type View, valueIndex } from "./sums";
import { bytewise, growTree } from "./tree";

interface Merged {
  name: string;
  flags: number;
  parent: Merged | null;
  samples: [number, number];
  own: [number, number];
  width: number;
  children: Map<string, Merged>;
  written: DiffNode | null;
}

function merge(before: View, after: View, value: number): Merged[] {
  const make = (name: string, flags: number, parent: Merged | null): Merged => ({
    name, flags, parent, samples: [0, 0], own: [0, 0], width: 0, children: new Map(), written: null,
  });
  const nodes = [make("(all)", 0, null)];
  [before, after].forEach((view, side) => {
    const tree = growTree(view.index, {
      fromSites: false, fold: true, inlined: true, hide: view.chosen.selection.hide,
    });
    const own = view.sumBy(tree.parent.length, tree.at);
    const at: Merged[] = [nodes[0]];
    for (let i = 0; i < tree.parent.length; ++i) {
      if (i > 0) {
        const above = at[tree.parent[i]];
        const name = tree.names[tree.name[i]];
        let node = above.children.get(name);
        if (node === undefined) {
          node = make(name, tree.flags[i], above);
          above.children.set(name, node);
          nodes.push(node);
        } else if ((tree.flags[i] & flag.inlined) === 0) {
          node.flags &= ~flag.inlined;
        }
        at.push(node);
      }
      at[i].own[side] += own.samples(i, value);
    }
  });
  return nodes;
}

/** Each node is as wide as the sum of the changes below it; at most 4000 are left. */
export function diffTree(before: View, after: View, both: Comparison): DiffNode {
  const { o } = both;
  const [scaleB, scaleA] = [both.before.scale, both.after.scale];
  const nodes = merge(before, after, valueIndex[o.value]);
  for (const n of nodes) {
    n.samples = [...n.own];
    n.width = Math.abs(n.own[1] * scaleA - n.own[0] * scaleB);
  }
  for (let k = nodes.length - 1; k > 0; --k) {
    const { parent, samples, width } = nodes[k];
    parent!.samples[0] += samples[0];
    parent!.samples[1] += samples[1];
    parent!.width += width;
  }
  let enough = o.least * nodes[0].width;
  const wide = nodes.map((n) => n.width).filter((w) => w > 0 && w >= enough);
  let above = false;
  if (wide.length > mostNodes) {
    enough = wide.sort((a, b) => b - a)[mostNodes];
    above = true;
  }
  const kept: [Merged, DiffNode][] = [];
  for (const n of nodes) {
    const into = n.parent?.written ?? null;
    if (n.parent !== null && (into === null || n.samples[0] + n.samples[1] === 0)) continue;
    const [b, a] = [n.samples[0] * scaleB, n.samples[1] * scaleA];
    const narrow = n.width <= 0 || (above ? n.width <= enough : n.width < enough);
    if (into !== null && narrow) {
      const [count, x, y] = into[6] ?? [0, 0, 0];
      into[6] = [count + 1, x + b, y + a];
      continue;
    }
    n.written = [n.name, n.flags, b, a, 0, [], null];
    kept.push([n, n.written]);
  }
  for (const [n, written] of kept) {
    const chance = both.chance(...n.samples);
    written[4] = chance < 0.05 / kept.length ? 1 : 0;
    written[5] = [...n.children.values()]
      .filter((c) => c.written !== null)
      .sort((x, y) => y.width - x.width || bytewise(x.name, y.name))
      .map((c) => c.written!);
  }
  return nodes[0].written!;
}
