// SPDX-License-Identifier: MIT
/**
 * `wrappers`: functions that only pass memory on, as xmalloc does: whatever is allocated under them is allocated by
 * themselves, in one line, for many callers, none of which is most of it. Once these are left out their callers may turn
 * out to be such, too: they are looked for three times.
 */
import { flag, passesOn, type Wrappers } from "../api";
import { type View, valueIndex } from "./sums";
import { groupsOf, groupSums } from "./table";
import { bytewise } from "./tree";

const rounds = 3;
/** Of all samples, and at least so many samples. */
const leastShare = 0.01;
const leastSamples = 20;
/** Of what is allocated under the function, it allocates itself; of that, in one line. */
const leastSelf = 0.95;
const leastInLine = 0.9;
const leastCallers = 4;
const mostOfCaller = 0.75;

interface Use {
  samples: number;
  lines: Map<number, number>;
  callers: Map<number, number>;
}
const most = (counts: Map<number, number>) => Math.max(0, ...counts.values());

export function wrappers(view: View): Wrappers {
  const { index } = view;
  const { frames } = index.tables;
  const groups = groupsOf(index, "function", view.chosen.selection.hide);
  const { total } = groupSums(view, groups);
  const v = valueIndex.allocated;
  const all = view.total.samples(0, v);
  const found = new Set<number>();
  const isShown = (node: number) => groups.ofFrame[index.frame[node]] >= 0 && !found.has(groups.ofFrame[index.frame[node]]);
  // The innermost frame at or above each node that is shown; 0: none.
  const owners = () => {
    const owner = new Uint32Array(index.nodes);
    for (let i = 1; i < index.nodes; ++i) owner[i] = isShown(i) ? i : owner[index.parent[i]];
    return owner;
  };
  for (let round = 0; round < rounds; ++round) {
    const owner = owners();
    const uses = new Map<number, Use>();
    for (let i = 1; i < index.nodes; ++i) {
      const samples = view.byNode.samples(i, v);
      if (samples === 0 || owner[i] === 0) continue;
      const f = frames[index.frame[owner[i]]];
      if ((f[5] & (passesOn | flag.unnamed)) !== 0) continue;
      const g = groups.ofFrame[index.frame[owner[i]]];
      let use = uses.get(g);
      if (use === undefined) uses.set(g, (use = { samples: 0, lines: new Map(), callers: new Map() }));
      use.samples += samples;
      use.lines.set(f[2], (use.lines.get(f[2]) ?? 0) + samples);
      const above = owner[index.parent[owner[i]]];
      const caller = above === 0 ? -1 : groups.ofFrame[index.frame[above]];
      use.callers.set(caller, (use.callers.get(caller) ?? 0) + samples);
    }
    const more = [...uses].filter(([g, use]) =>
      use.samples >= Math.max(leastSamples, leastShare * all) &&
      use.samples >= leastSelf * total.samples(g, v) &&
      most(use.lines) >= leastInLine * use.samples &&
      use.callers.size >= leastCallers &&
      most(use.callers) <= mostOfCaller * use.samples);
    if (more.length === 0) break;
    for (const [g] of more) found.add(g);
  }
  const names = [...found].sort((a, b) => total.samples(b, v) - total.samples(a, v) || bytewise(groups.names[a], groups.names[b]));
  let passed = 0;
  for (let i = 1; i < index.nodes; ++i) if (found.has(groups.ofNode[i])) passed += view.byNode.samples(i, v);
  return { functions: names.map((g) => groups.names[g]), share: all > 0 ? passed / all : 0 };
}
