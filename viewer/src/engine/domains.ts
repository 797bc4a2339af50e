// SPDX-License-Identifier: MIT
/** The stacks of an index, those of each domain or thread by themselves: below a frame that names it. */
import { flag, type Trace } from "../api";
import type { Index } from "./index";
import type { Frame } from "./tables";

export const domainNames = (trace: Trace) => trace.domains.map((d, k) => trace.thread_names?.[k] ?? `domain ${d}`);

/** An index of the same blocks, whose stacks begin with their domain. */
export function byDomain(index: Index): Index {
  const domains = [...index.trace.domains];
  const place = new Map(domains.map((d, k) => [d, k]));
  const { frames, functions } = index.tables;
  // Unnamed: no pattern of functions means it.
  const added = domains.map((_, k): Frame => [functions.length + k, 0, 0, 0, 0, flag.unnamed, 0]);
  const tables = {
    ...index.tables, frames: [...frames, ...added], functions: [...functions, ...domainNames(index.trace)],
  };
  const flags = new Uint8Array(tables.frames.length);
  flags.set(index.flags);
  const parent = [0];
  const frame = [0];
  const nodes = new Map<number, number>();
  const stack = Uint32Array.from(index.stack, (from, i) => {
    const k = place.get(index.where[i] >>> 2) ?? 0;
    // Up to what is there already, then down again: parents stand before their children.
    const missing: number[] = [];
    let at: number | undefined;
    for (let node = from; ; node = index.parent[node]) {
      at = nodes.get(node * domains.length + k);
      if (at !== undefined) break;
      missing.push(node);
      if (node === 0) break;
    }
    for (const node of missing.reverse()) {
      const here = parent.push(node === 0 ? 0 : at!) - 1;
      frame.push(node === 0 ? frames.length + k : index.frame[node]);
      nodes.set(node * domains.length + k, here);
      at = here;
    }
    return at!;
  });
  const size = parent.length;
  const firstChild = new Uint32Array(size);
  const nextSibling = new Uint32Array(size);
  for (let i = size - 1; i > 0; --i) {
    nextSibling[i] = firstChild[parent[i]];
    firstChild[parent[i]] = i;
  }
  const leaves = new Uint8Array(size);
  for (const s of stack) leaves[s] = 1;
  return Object.assign(Object.create(index) as Index, {
    tables, flags, stack, nodes: size, parent: Uint32Array.from(parent), frame: Uint32Array.from(frame),
    firstChild, nextSibling, leaves, ofDomains: true,
  });
}
