// SPDX-License-Identifier: MIT
/**
 * Traces for tests, as the packed index of docs/serve.md: from the text of `memprof dump` that lies
 * beside each golden trace (so without a built command), all of $MEMPROF_TRACES or the few in
 * tests/data/traces.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Trace } from "../../src/api";
import { choose, parseSelection } from "../../src/engine/selection";
import { View } from "../../src/engine/sums";
import { type Frame, Index, never, type Tables } from "../../src/engine/index";

const committed = resolve(import.meta.dirname, "../../../tests/data/traces");
export const folder = process.env.MEMPROF_TRACES || committed;

export function golden(name: string): string | null {
  const path = join(folder, name);
  if (existsSync(path)) return readFileSync(path, "utf8");
  return existsSync(`${path}.gz`) ? gunzipSync(readFileSync(`${path}.gz`)).toString("utf8") : null;
}
/** Names of the traces that have a dump, and facts. */
export const names = readdirSync(folder)
  .map((f) => /^(.*)\.dump(\.gz)?$/.exec(f)?.[1])
  .filter((n): n is string => n !== undefined && existsSync(join(folder, `${n}.json`)))
  .sort();

export interface Facts {
  file: string;
  bytes: number;
  version: number;
  info: {
    sample_rate: number; word_size: number; executable_name: string; host_name: string;
    pid: number; context: string | null; start_time: number;
  };
  samples: { total: number };
  duration_us: number;
  live_at_end: { objects: number; samples: number };
  peak_live_in_file_order: { samples: number; time_us: number };
  viewer_filters: Record<string, { objects: number; samples: number }>;
  top_functions_self_samples: [string, number][];
  top_functions_inclusive_samples: [string, number][];
  top_allocation_sites_samples: [string, number][];
}
export const facts = (name: string) => JSON.parse(golden(`${name}.json`)!) as Facts;

interface Columns {
  parent: number[]; frame: number[];
  born: number[]; gone: number[]; promoted: number[];
  born_event: number[]; gone_event: number[]; promoted_event: number[];
  length: number[]; samples: number[]; stack: number[]; where: number[];
}
const heaps: Record<string, number> = { alloc: 0, alloc_major: 1, alloc_ext: 2 };
const event =
  /^(\d+) (\d+) (?:(alloc|alloc_major|alloc_ext) (\d+) len=(\d+) dom=(\d+) +\d+:(.*)|(promote|collect))$/;

export class DumpReader {
  readonly columns: Columns = {
    parent: [0], frame: [0], born: [], gone: [], promoted: [], born_event: [], gone_event: [],
    promoted_event: [], length: [], samples: [], stack: [], where: [],
  };
  readonly tables: Tables = { nodes: 0, objects: 0, functions: [], files: [], frames: [] };
  events = 0;
  private readonly ids = new Map<string, number>();
  private readonly nodes = new Map<string, number>();
  private readonly objects = new Map<number, number>();

  private id(kind: string, text: string, list: unknown[], make: () => unknown): number {
    const key = `${kind}\0${text}`;
    let id = this.ids.get(key);
    if (id === undefined) {
      id = list.length;
      list.push(make());
      this.ids.set(key, id);
    }
    return id;
  }
  private frame(text: string): number {
    const { functions, files, frames } = this.tables;
    return this.id("frame", text, frames, (): Frame => {
      const name = (t: string) => this.id("function", t, functions, () => t);
      const file = (t: string) => this.id("file", t, files, () => t);
      if (/^\$-?\d+$/.test(text)) {
        const code = BigInt.asUintN(64, BigInt(text.slice(1)));
        return [name(`0x${code.toString(16)}`), file(""), 0, 0, 0, 2];
      }
      const m = /^(.*)@(.*):(\d+):(\d+)-(\d+)$/.exec(text);
      if (m === null) throw new Error(`no frame: ${text}`);
      return [name(m[1]), file(m[2]), Number(m[3]), Number(m[4]), Number(m[5]), 0];
    });
  }
  private stack(text: string): number {
    let at = 0;
    // A blank ends a frame only where a position or a code stands before it.
    for (const f of text.match(/ (?:\$-?\d+(?= |$)|.*?@.*?:\d+:\d+-\d+(?= |$))/g) ?? []) {
      const frame = this.frame(f.slice(1));
      const key = `${at}/${frame}`;
      let node = this.nodes.get(key);
      if (node === undefined) {
        node = this.columns.parent.length;
        this.columns.parent.push(at);
        this.columns.frame.push(frame);
        this.nodes.set(key, node);
      }
      at = node;
    }
    return at;
  }
  line(text: string): void {
    const m = event.exec(text);
    if (m === null) throw new Error(`no event: ${text}`);
    const c = this.columns;
    const time = Number(m[1]);
    const number = this.events++;
    if (m[8] === undefined) {
      const stack = this.stack(m[7]);
      this.objects.set(Number(m[2]), c.born.length);
      c.born.push(time);
      c.gone.push(-1);
      c.promoted.push(-1);
      c.born_event.push(number);
      c.gone_event.push(never);
      c.promoted_event.push(never);
      c.samples.push(Number(m[4]));
      c.length.push(Number(m[5]));
      c.stack.push(stack);
      c.where.push(heaps[m[3]] + 4 * Number(m[6]));
      return;
    }
    const object = this.objects.get(Number(m[2]));
    if (object === undefined) return;
    const [times, numbers] =
      m[8] === "promote" ? [c.promoted, c.promoted_event] : [c.gone, c.gone_event];
    if (numbers[object] !== never) return;
    times[object] = time;
    numbers[object] = number;
  }
}

const types: [keyof Columns, typeof Uint32Array | typeof Float64Array][] = [
  ["parent", Uint32Array], ["frame", Uint32Array], ["born", Float64Array], ["gone", Float64Array],
  ["promoted", Float64Array], ["born_event", Uint32Array], ["gone_event", Uint32Array],
  ["promoted_event", Uint32Array], ["length", Float64Array], ["samples", Uint32Array],
  ["stack", Uint32Array], ["where", Uint32Array],
];

export interface Packed {
  trace: Trace;
  tables: Tables;
  bytes: Uint8Array;
}
export function packed(name: string): Packed {
  const f = facts(name);
  const reader = new DumpReader();
  for (const line of (golden(`${name}.dump`) ?? "").split("\n")) if (line !== "") reader.line(line);
  const c = reader.columns;
  if (reader.tables.frames.length === 0) reader.tables.frames.push([0, 0, 0, 0, 0, 2]);
  if (reader.tables.functions.length === 0) reader.tables.functions.push("");
  const tables = { ...reader.tables, nodes: c.parent.length, objects: c.born.length };
  const bytes = Buffer.concat(
    types.map(([column, Kind]) => Buffer.from(new Kind(c[column]).buffer)),
  );
  const none = { samples: 0, blocks: 0, bytes: [0, 0, 0], objects: [0, 0, 0] };
  const trace = {
    api: 1, memprof: "test", file: f.file, bytes: f.bytes, executable: f.info.executable_name,
    pid: f.info.pid, host: f.info.host_name, context: f.info.context ?? "",
    start_time_us: f.info.start_time, word_bytes: f.info.word_size / 8,
    sample_rate: f.info.sample_rate, version: f.version, confidence: 0.95, events: reader.events,
    objects: tables.objects, duration_us: f.duration_us,
    peak_time_us: f.peak_live_in_file_order.time_us,
    total: { allocated: none, in_use: none, peak: none },
    heaps: ["minor", "major", "external"].filter((_, h) => c.where.some((w) => w % 4 === h)),
    domains: [...new Set(c.where.map((w) => w >>> 2))].sort((a, b) => a - b),
    growing: false, damage: null, other: null, limits: [], frozen: null,
  } as unknown as Trace;
  const all = new Uint8Array(bytes);
  const index = new Index(trace, tables, all);
  trace.total = new View(index, choose(index, parseSelection([]))).total.sum(index, 0);
  return { trace, tables, bytes: all };
}
export function index(name: string): Index {
  const { trace, tables, bytes } = packed(name);
  return new Index(trace, tables, bytes);
}
/** What an offline page embeds. */
export function embedded(name: string): object {
  const { trace, tables, bytes } = packed(name);
  return { trace, index: gzipSync(bytes).toString("base64"), tables };
}
