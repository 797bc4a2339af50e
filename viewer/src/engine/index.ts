// SPDX-License-Identifier: MIT
/** The packed index of docs/serve.md, and what is derived from it once. */
import { gunzipSync } from "fflate";
import { flag, type Trace } from "../api";
import { Intervals } from "../statistics";

export const never = 4294967295;

/** function, file, line, start_char, end_char, flags. */
export type Frame = [number, number, number, number, number, number];
export interface Tables {
  nodes: number;
  objects: number;
  functions: string[];
  files: string[];
  frames: Frame[];
}

const columns = [
  ["parent", Uint32Array, "nodes"],
  ["frame", Uint32Array, "nodes"],
  ["born", Float64Array, "objects"],
  ["gone", Float64Array, "objects"],
  ["promoted", Float64Array, "objects"],
  ["born_event", Uint32Array, "objects"],
  ["gone_event", Uint32Array, "objects"],
  ["promoted_event", Uint32Array, "objects"],
  ["length", Float64Array, "objects"],
  ["samples", Uint32Array, "objects"],
  ["stack", Uint32Array, "objects"],
  ["where", Uint32Array, "objects"],
] as const;

export class Index {
  parent!: Uint32Array;
  frame!: Uint32Array;
  born!: Float64Array;
  gone!: Float64Array;
  promoted!: Float64Array;
  born_event!: Uint32Array;
  gone_event!: Uint32Array;
  promoted_event!: Uint32Array;
  length!: Float64Array;
  samples!: Uint32Array;
  stack!: Uint32Array;
  where!: Uint32Array;

  /** Children of each node: first child, next sibling; 0 is none. */
  readonly firstChild: Uint32Array;
  readonly nextSibling: Uint32Array;
  /** Events by their number: object * 4 + kind (0 allocation, 1 promotion, 2 collection). */
  readonly order: Float64Array;
  readonly intervals: Intervals;
  /** The objects that a block's samples stand for, and what their error comes from. */
  readonly weight: Float64Array;
  readonly spread: Float64Array;

  constructor(
    readonly trace: Trace,
    readonly tables: Tables,
    bytes: Uint8Array,
  ) {
    let at = 0;
    for (const [name, Kind, size] of columns) {
      const length = tables[size] * Kind.BYTES_PER_ELEMENT;
      if (at + length > bytes.byteLength) throw new Error(`the index ends within ${name}`);
      // A copy is aligned, whatever stood before it.
      (this as Record<string, unknown>)[name] = new Kind(bytes.slice(at, at + length).buffer);
      at += length;
    }
    if (at !== bytes.byteLength) throw new Error("the index goes on after its last column");
    const n = tables.nodes;
    this.firstChild = new Uint32Array(n);
    this.nextSibling = new Uint32Array(n);
    for (let i = n - 1; i > 0; --i) {
      const p = this.parent[i];
      if (p >= i) throw new Error(`node ${i} of the index stands before its parent`);
      this.nextSibling[i] = this.firstChild[p];
      this.firstChild[p] = i;
    }
    this.order = this.sortEvents();
    this.intervals = new Intervals(trace.sample_rate, trace.word_bytes);
    const m = tables.objects;
    this.weight = new Float64Array(m);
    this.spread = new Float64Array(m);
    const rate = trace.sample_rate;
    for (let i = 0; i < m; ++i) {
      // n samples of a block of w words, its header counted, for n / (rate w) such blocks.
      const weight = 1 / (rate * (this.length[i] + 1));
      this.weight[i] = this.samples[i] * weight;
      this.spread[i] = this.samples[i] * weight * weight;
    }
  }

  private sortEvents(): Float64Array {
    const m = this.tables.objects;
    let last = -1;
    for (const column of [this.born_event, this.gone_event, this.promoted_event]) {
      for (let i = 0; i < m; ++i) if (column[i] !== never && column[i] > last) last = column[i];
    }
    const places = new Float64Array(last + 1).fill(-1);
    for (let i = 0; i < m; ++i) {
      places[this.born_event[i]] = i * 4;
      if (this.promoted_event[i] !== never) places[this.promoted_event[i]] = i * 4 + 1;
      if (this.gone_event[i] !== never) places[this.gone_event[i]] = i * 4 + 2;
    }
    return places.filter((x) => x >= 0);
  }

  functionOf(node: number): number {
    return this.tables.frames[this.frame[node]][0];
  }
  isInlined(node: number): boolean {
    return (this.tables.frames[this.frame[node]][5] & flag.inlined) !== 0;
  }
  get nodes() {
    return this.tables.nodes;
  }
  get objects() {
    return this.tables.objects;
  }

  /** Depth first; not for the root. No recursion: stacks may be 70000 deep. */
  walk(enter: (node: number) => void, leave: (node: number) => void): void {
    let node = this.firstChild[0];
    while (node !== 0) {
      enter(node);
      if (this.firstChild[node] !== 0) {
        node = this.firstChild[node];
        continue;
      }
      for (;;) {
        leave(node);
        if (this.nextSibling[node] !== 0) {
          node = this.nextSibling[node];
          break;
        }
        node = this.parent[node];
        if (node === 0) return;
      }
    }
  }
}

/** Base64 of gzip, as it stands in an offline page. */
export function unpackIndex(text: string): Uint8Array {
  const raw = atob(text.replace(/\s+/g, ""));
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return gunzipSync(bytes);
}
