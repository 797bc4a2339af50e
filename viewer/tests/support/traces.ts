// SPDX-License-Identifier: MIT
/**
 * Traces for tests, as the index of docs/serve.md: from the text of `memprof dump` that lies
 * beside each golden trace (so without a built command), all of $MEMPROF_TRACES or the few in
 * tests/data/traces.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Trace } from "../../src/api";
import { type Head, Index } from "../../src/engine/index";
import type { Frame } from "../../src/engine/tables";
import { packIndex } from "./pack";

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

type Columns = Record<"parent" | "frame" | "length" | "samples" | "first" | "second" | "stack" | "where" | "between" | "change" | "time", number[]>;
const heaps: Record<string, number> = { alloc: 0, alloc_major: 1, alloc_ext: 2 };
const event =
  /^(\d+) (\d+) (?:(alloc|alloc_major|alloc_ext) (\d+) len=(\d+) dom=(\d+) +\d+:(.*)|(promote|collect))$/;

export class DumpReader {
  readonly columns: Columns = {
    parent: [0], frame: [0], length: [], samples: [], first: [], second: [], stack: [], where: [], between: [], change: [], time: [],
  };
  readonly tables = { functions: [] as string[], files: [] as string[], frames: [] as Frame[] };
  events = 0;
  private sampled = 0;
  private readonly before: number[] = [];
  constructor(private readonly exact: boolean) {}
  private readonly ids = new Map<string, number>();
  private readonly nodes = new Map<string, number>();
  private readonly objects = new Map<number, number>();
  private readonly promoted = new Set<number>();

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
    ++this.events;
    if (m[8] === undefined) {
      const stack = this.stack(m[7]);
      const number = c.samples.length;
      this.objects.set(Number(m[2]), number);
      c.samples.push(Number(m[4]));
      // Halves as good as any: one after another. At rate 1 they are both all samples.
      const first = this.exact ? Number(m[4]) : (Number(m[4]) + (number % 2)) >> 1;
      c.first.push(first);
      c.second.push(this.exact ? first : Number(m[4]) - first);
      c.length.push(Number(m[5]));
      c.stack.push(stack);
      c.where.push(heaps[m[3]] + 4 * Number(m[6]));
      c.between.push(0);
      this.before.push((this.sampled += Number(m[4])));
      this.change(number, 0, time);
      return;
    }
    const object = this.objects.get(Number(m[2]));
    if (object === undefined) return;
    if (m[8] === "collect") {
      this.objects.delete(Number(m[2]));
      this.columns.between[object] = this.sampled - this.before[object] + 1;
      this.change(object, 2, time);
    } else if (!this.promoted.has(object)) {
      this.promoted.add(object);
      this.change(object, 1, time);
    }
  }
  private change(object: number, kind: number, time: number): void {
    this.columns.change.push(object * 4 + kind);
    this.columns.time.push(time);
  }
}

/** As `memprof serve` sends it. */
export function packed(name: string): ArrayBuffer {
  const f = facts(name);
  const reader = new DumpReader(f.info.sample_rate >= 1);
  for (const line of (golden(`${name}.dump`) ?? "").split("\n")) if (line !== "") reader.line(line);
  const c = reader.columns;
  const trace = {
    api: 2, memprof: "test", file: f.file, bytes: f.bytes, executable: f.info.executable_name,
    pid: f.info.pid, host: f.info.host_name, context: f.info.context ?? "",
    start_time_us: f.info.start_time, word_bytes: f.info.word_size / 8,
    sample_rate: f.info.sample_rate, file_sample_rate: f.info.sample_rate, version: f.version,
    events: reader.events, objects: c.samples.length, kept_objects: c.samples.length,
    duration_us: f.duration_us,
    heaps: ["minor", "major", "external"].filter((_, h) => c.where.some((w) => w % 4 === h)),
    domains: [...new Set(c.where.map((w) => w >>> 2))].sort((a, b) => a - b),
    generation: 1, damage: null, limits: [],
  } as unknown as Trace;
  const columns = Object.entries(c).map(([column, values]): Head["columns"][number] => [
    column, ["length", "time"].includes(column) ? "f64" : "u32", values.length,
  ]);
  return packIndex({ trace, ...reader.tables, columns }, new Map(Object.entries(c)));
}
export const index = (name: string): Index => new Index(packed(name));
/** What an offline page embeds. */
export const embedded = (bytes: ArrayBuffer): string => gzipSync(new Uint8Array(bytes)).toString("base64");
