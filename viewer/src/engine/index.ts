// SPDX-License-Identifier: MIT
/** The index of docs/serve.md, and what is derived from it once. */
import { exitOf, flag, type Trace } from "../api";
import { Intervals } from "../statistics";
import { flagsOfFrames } from "./kinds";
import type { Frame, Tables } from "./tables";

/** The number of an event that did not happen. */
export const never = 4294967295;

/** Name, type, length. */
type Column = [string, string, number];
export interface Head {
  trace: Trace;
  functions: string[];
  files: string[];
  modules?: string[];
  frames: Frame[];
  columns: Column[];
}
type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const magic = "memprof1";
const kinds = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;
const aligned = (n: number) => (n + 7) & ~7;
const text = new TextDecoder();

/** The head and the columns of an index, which are views of it. */
export function readColumns(bytes: ArrayBuffer): { head: Head; columns: Map<string, Numbers> } {
  const ofSize = (at: number) => {
    if (at > bytes.byteLength) throw new Error("The index is cut short.");
    return at;
  };
  ofSize(16);
  if (text.decode(new Uint8Array(bytes, 0, 8)) !== magic) throw new Error("This is no index of memprof.");
  const length = Number(new DataView(bytes).getBigUint64(8, true));
  let at = ofSize(16 + length);
  const head = JSON.parse(text.decode(new Uint8Array(bytes, 16, length))) as Head;
  const columns = new Map<string, Numbers>();
  for (const [name, type, size] of head.columns) {
    const Kind = kinds[type as keyof typeof kinds];
    if (Kind === undefined) throw new Error(`The index has a column of type ${type}.`);
    const end = ofSize(at + size * Kind.BYTES_PER_ELEMENT);
    columns.set(name, new Kind(bytes, at, size));
    at = at + aligned(end - at);
  }
  if (ofSize(at) !== bytes.byteLength) throw new Error("The index goes on after its last column.");
  return { head, columns };
}

/** Of each node of the tree of stacks, and of each block that is kept. */
export class Index {
  readonly trace: Trace;
  readonly tables: Tables;
  /** Of each frame: those of the index, and its kind. */
  readonly flags: Uint8Array;
  readonly nodes: number;
  readonly objects: number;

  readonly parent: Uint32Array;
  readonly frame: Uint32Array;
  /** Microseconds; -1 if it did not happen. */
  readonly born: Float64Array;
  readonly gone: Float64Array;
  readonly promoted: Float64Array;
  /** Places in `order`; `never` if it did not happen. */
  readonly born_event: Uint32Array;
  readonly gone_event: Uint32Array;
  readonly promoted_event: Uint32Array;
  readonly length: Float64Array;
  readonly samples: Uint32Array;
  /** Those of them that are in each half (docs/serve.md). */
  readonly first: Uint32Array;
  readonly second: Uint32Array;
  /** Every word is a sample, and both halves are all of them. */
  readonly exact: boolean;
  readonly stack: Uint32Array;
  readonly where: Uint32Array;
  /** 0: not freed. Else one more than the samples of its thread between its allocation and its free. */
  readonly between: Uint32Array;
  /** The events of the blocks, as the file has them: object * 4 + kind (0 allocation, 1 promotion, 2 collection). */
  readonly order: Uint32Array;

  /** Children of each node: first child, next sibling; 0 is none. */
  readonly firstChild: Uint32Array;
  readonly nextSibling: Uint32Array;
  /** 1 for the nodes that are the stack of a block. */
  readonly leaves: Uint8Array;
  readonly intervals: Intervals;
  /** Stacks begin with a frame for their domain. */
  readonly ofDomains: boolean = false;
  /** When the process began to end, microseconds: what is in use at the end is so then. Infinity: not known. */
  readonly exit: number;
  /** When most of all blocks was in use, the first time. */
  peakTime = 0;
  /** The last time when most of each half was. */
  readonly peakTimes = { first: 0, second: 0 };

  constructor(bytes: ArrayBuffer) {
    const { head, columns } = readColumns(bytes);
    const column = (name: string): Numbers => {
      const found = columns.get(name);
      if (found === undefined) throw new Error(`The index has no column ${name}.`);
      return found;
    };
    const u32 = (name: string): Uint32Array => {
      const c = column(name);
      return c instanceof Uint32Array ? c : new Uint32Array(c);
    };
    this.trace = head.trace;
    this.exit = exitOf(head.trace) ?? Infinity;
    const { functions, files, frames, modules = [""] } = head;
    this.tables = { functions, files, frames, modules, executable: this.trace.executable ?? "" };
    this.flags = flagsOfFrames(this.tables);
    this.parent = u32("parent");
    this.frame = u32("frame");
    this.nodes = this.parent.length;
    this.samples = u32("samples");
    this.first = u32("first");
    this.second = u32("second");
    this.exact = head.trace.sample_rate >= 1;
    this.stack = u32("stack");
    this.where = u32("where");
    this.between = u32("between");
    this.length = new Float64Array(column("length"));
    this.order = u32("change");
    const m = (this.objects = this.samples.length);
    this.born = new Float64Array(m);
    this.gone = new Float64Array(m).fill(-1);
    this.promoted = new Float64Array(m).fill(-1);
    this.born_event = new Uint32Array(m).fill(never);
    this.gone_event = new Uint32Array(m).fill(never);
    this.promoted_event = new Uint32Array(m).fill(never);
    this.readChanges(column("time"));

    const n = this.nodes;
    this.firstChild = new Uint32Array(n);
    this.nextSibling = new Uint32Array(n);
    for (let i = n - 1; i > 0; --i) {
      const p = this.parent[i];
      if (p >= i) throw new Error(`Node ${i} of the index stands before its parent.`);
      this.nextSibling[i] = this.firstChild[p];
      this.firstChild[p] = i;
    }
    this.checkNumbers();
    this.leaves = new Uint8Array(n);
    for (let i = 0; i < m; ++i) this.leaves[this.stack[i]] = 1;
    this.intervals = new Intervals(this.trace.sample_rate, this.trace.word_bytes);
  }

  /** How many such blocks one of the block's samples stands for. */
  weight(i: number): number {
    return 1 / (this.trace.sample_rate * (this.length[i] + 1));
  }

  private readChanges(time: Numbers): void {
    const { order, objects, samples } = this;
    const halves = (["first", "second"] as const).map((name) => ({ name, live: 0, most: 0 }));
    const change = (i: number, sign: number, at: number) => {
      for (const h of halves) {
        h.live += sign * this[h.name][i];
        if (h.live < h.most || (this.exact && h.live === h.most)) continue;
        h.most = h.live;
        this.peakTimes[h.name] = at;
      }
    };
    let live = 0;
    let most = 0;
    if (time.length !== order.length) throw new Error("The index has changes without times.");
    let next = 0;
    for (let k = 0; k < order.length; ++k) {
      const i = order[k] >>> 2;
      const kind = order[k] & 3;
      if (i >= objects || (kind === 0 ? i !== next : i >= next)) {
        throw new Error(`Change ${k} of the index is of no block.`);
      }
      if (kind === 0) {
        ++next;
        this.born[i] = time[k];
        this.born_event[i] = k;
        change(i, 1, time[k]);
        live += samples[i];
        if (live > most) {
          most = live;
          this.peakTime = time[k];
        }
      } else if (kind === 1) {
        this.promoted[i] = time[k];
        this.promoted_event[i] = k;
      } else {
        this.gone[i] = time[k];
        this.gone_event[i] = k;
        change(i, -1, time[k]);
        live -= samples[i];
      }
    }
    if (next !== objects) throw new Error("The index has blocks that were never allocated.");
  }

  /** A number that points beyond its table would be read as 0, or as nothing. */
  private checkNumbers(): void {
    const below = (name: string, values: Numbers, size: number, from = 0) => {
      for (let i = from; i < values.length; ++i) {
        if (values[i] >= size) throw new Error(`The index has a ${name} that is not there.`);
      }
    };
    for (const name of ["stack", "where", "between", "length", "first", "second"] as const) {
      if (this[name].length !== this.objects) throw new Error(`The index has blocks without ${name}.`);
    }
    if (this.frame.length !== this.nodes || this.nodes === 0) throw new Error("The index has nodes without frame.");
    below("stack", this.stack, this.nodes);
    below("frame", this.frame, this.tables.frames.length, 1);
    for (const [f, file] of this.tables.frames) {
      if (!(f < this.tables.functions.length && file < this.tables.files.length)) {
        throw new Error("The index has a frame without a name.");
      }
    }
  }

  functionOf(node: number): number {
    return this.tables.frames[this.frame[node]][0];
  }
  isInlined(node: number): boolean {
    return (this.tables.frames[this.frame[node]][5] & flag.inlined) !== 0;
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

/** In use at the end, of a block that comes and goes like this. */
export function staysToTheEnd(index: Index, born: number, gone: number, goneEvent: number): boolean {
  return born < index.exit && (goneEvent === never || gone >= index.exit);
}

/** Base64 of gzip, as it stands in an offline page. */
export async function unpackIndex(packed: string): Promise<ArrayBuffer> {
  const raw = atob(packed.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
