// SPDX-License-Identifier: MIT
/** The questions that panels ask of a trace, and the types of what the engine answers. */

/** An estimate and its interval of 95 %: value, lower, upper. */
export type Estimate = [number, number, number];
export interface Amount {
  samples: number;
  blocks: number;
  bytes: Estimate;
  objects: Estimate;
}
/** The same in lists: samples, blocks, bytes, lower, upper, objects, lower, upper. */
export type PackedAmount = [number, number, number, number, number, number, number, number];
export type Value = "allocated" | "in_use" | "peak";
export type Sum = Record<Value, Amount>;
export type PackedSum = [PackedAmount, PackedAmount, PackedAmount];

export interface LimitHit {
  time_us: number;
  kind: "allocations" | "memory" | "global memory" | "token" | "deadline";
  /** Bytes; of a deadline nanoseconds; of a token 0. */
  allowed: number;
  measured: number;
  /** How often it could not be raised before. */
  deferrals: number;
  thread: number;
  /** The innermost calls, outermost first. */
  stack: string[];
}
export interface Trace {
  api: number;
  memprof: string;
  file: string;
  bytes: number;
  executable: string;
  pid: number;
  host: string;
  context: string;
  start_time_us: number;
  word_bytes: number;
  /** Of the samples that the page has; fewer than the file has, if that has too many. */
  sample_rate: number;
  file_sample_rate: number;
  version: number;
  events: number;
  objects: number;
  kept_objects: number;
  /** The calls that stay at each end of a stack, if those between were left out. */
  stack_ends?: number | null;
  duration_us: number;
  peak_time_us: number;
  total: Sum;
  /** Bytes: with 97.5 % there was never more in use. */
  never_over: number;
  heaps: string[];
  domains: number[];
  /** Names of threads, which then take the place of domains: one for each of these. */
  thread_names?: string[];
  growing: boolean;
  generation: number;
  damage: string | null;
  other: Trace | null;
  limits: LimitHit[];
  /** Of a running program that shows itself: blocks that were freed before are not here. Microseconds. */
  freed_since_us?: number;
  /** What the recorder knew of the process: "command", "ended", "resident_peak" (bytes), ...: include/memprof/trace/note.hpp. */
  notes?: Record<string, string>;
}
/** Whether the trace has the threads of its blocks. */
export const hasThreads = (trace: Trace) => (trace.thread_names?.length ?? 0) > 0;
/** Names of threads by the kernel's ids, as the recorder saw them. */
export function threadsOf(trace: Trace): Map<number, string> {
  const lines = (trace.notes?.threads ?? "").split("\n").filter((l) => l !== "");
  return new Map(lines.map((l) => [Number.parseInt(l, 10), l.slice(l.indexOf(" ") + 1)]));
}
const baseName = (path: string) => path.split("/").at(-1) ?? "";
/** The program as its user knows it: a link to another one (redis-server to redis-check-rdb), or a script, has its own
    name. Of a process that the recorder did not start: what the kernel calls its first thread. */
export function programOf(trace: Trace): string {
  const command = trace.notes?.command ?? "";
  const file = baseName(trace.executable);
  const typed = baseName(/^'([^']*)'/.exec(command)?.[1] ?? command.split(" ")[0]);
  if (typed !== "") return typed;
  const thread = threadsOf(trace).get(trace.pid) ?? "";
  // The kernel has 15 characters of it.
  return (thread === file.slice(0, 15) ? "" : thread) || file || trace.file;
}
/** Bytes of the process in memory at times in microseconds, as the recorder saw it. */
export function residentOf(trace: Trace): { step_us: number; bytes: (number | null)[] } | null {
  const [step, ...values] = (trace.notes?.resident ?? "").split(" ").map(Number);
  if (!(step > 0) || values.length < 2) return null;
  return { step_us: step, bytes: values.map((v) => (Number.isFinite(v) ? v * 1024 : null)) };
}
/** In units of so many bytes; null where it was not seen. */
export function residentAt(series: { step_us: number; bytes: (number | null)[] }, time: number, unit: number): number | null {
  const found = series.bytes[Math.min(Math.floor(time / series.step_us), series.bytes.length - 1)];
  return found == null ? null : found / unit;
}
/** Whether a running program shows itself, rather than `memprof serve` a file. */
export const isProgram = (trace: Trace) => trace.freed_since_us !== undefined;
/** When main returned or exit was called, in microseconds. */
export function exitOf(trace: Trace): number | null {
  const text = trace.notes?.exit_began ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export const flag = { inlined: 1, unnamed: 2, allocates: 4, library: 8 } as const;
/** Whose code it is: the program's own, a standard library, the C library, another library. */
export const kinds = ["own", "library", "c", "other", "unknown"] as const;
export type Kind = (typeof kinds)[number];
/** In the flags of a graph's node, above those that the index has. */
const kindShift = 4;
export const kindOf = (kind: Kind) => kinds.indexOf(kind) << kindShift;
export const kindIn = (flags: number): Kind => kinds[flags >> kindShift] ?? "unknown";
/** Not who allocates, but how: flat lists leave these out. */
export const passesOn = flag.allocates | flag.library;
/** name, flags, self, total, children, hidden. */
export type GraphNode = [
  string,
  number,
  PackedAmount,
  PackedAmount,
  GraphNode[],
  [number, PackedAmount] | null,
];
export interface Graph {
  value: Value;
  from: "main" | "sites";
  least: number;
  total: PackedAmount | Amount;
  whole: PackedAmount | Amount;
  root: GraphNode;
}
export type TableRow = [string, PackedSum, PackedSum];
/** file, line, how many other lines there are. */
export type Place = [string, number, number];
export interface Table {
  rows: TableRow[];
  more: number;
  /** Of each row by function or site: the line with most of it; null where none is known. */
  places: (Place | null)[];
  /** With `freed-within`: of each row, all that it allocated itself, temporary or not. */
  allocated?: PackedAmount[];
}
export interface Around {
  callers: GraphNode;
  callees: GraphNode;
}
export interface Peak {
  time_us: number;
  amount: Amount;
}
export interface Series {
  step_us: number;
  /** Where the first step begins, if a window was asked for; else 0. */
  from_us?: number;
  total: number[];
  filtered: number[] | null;
  allocated: number[];
  freed: number[];
  bytes_per_sample: number;
  peak: Peak;
  filtered_peak: Peak | null;
}
export interface Stacked {
  step_us: number;
  rows: { name: string | null; samples: number[] }[];
  bytes_per_sample: number;
}
export interface Bin {
  from: number;
  to: number;
  samples: number;
  amount: Amount;
}
export interface LifetimeBin extends Bin {
  died: number;
  survived: number;
}
export interface Histograms {
  sizes: Bin[];
  lifetimes: LifetimeBin[];
}
export interface Scatter {
  points: [number, number, number, 0 | 1][];
  objects: number;
}
export interface Survival {
  curves: { name: string | null; points: [number, number, number, number][] }[];
}
export interface Promotion {
  rows: [string, PackedAmount, PackedAmount, number, number, number][];
  more: number;
}
export interface Ages {
  step_us: number;
  bands: { from_us: number; to_us: number | null; samples: number[] }[];
  bytes_per_sample: number;
}
export interface Suspect {
  kind: "leak" | "queue" | "cache";
  function: string;
  place: Place | null;
  score: number;
  amount: Amount;
  evidence: string[];
  selection: Record<string, string | string[]>;
  sparkline: { step_us: number; samples: number[] };
}
export interface Suspects {
  leaks: Suspect[];
  queues: Suspect[];
  caches: Suspect[];
}
/** file, line, self, total. Line 0: not known. */
export type LineRow = [string, number, PackedAmount, PackedAmount];
export interface Lines {
  rows: LineRow[];
  more: number;
}
/** line, self, total, the functions that it is part of. */
export type SourceRow = [number, PackedAmount, PackedAmount, string[]];
export interface SourceLines {
  /** Whether any frame of the trace is in this file. */
  known: boolean;
  rows: SourceRow[];
}
/** Those that only pass memory on, and the share of all samples that they allocate. */
export interface Wrappers {
  functions: string[];
  share: number;
}
/** name, before, after (bytes), standard error, chance, significant. */
export type DiffRow = [string, number, number, number, number, 0 | 1];
/** name, flags, before, after, significant, children, hidden. */
export type DiffNode = [
  string, number, number, number, 0 | 1, DiffNode[], [number, number, number] | null,
];
export interface Diff {
  rows: DiffRow[];
  more: number;
  total: DiffRow;
  graph: DiffNode | null;
}

export interface Answers {
  graph: Graph;
  table: Table;
  around: Around;
  series: Series;
  stacked: Stacked;
  histograms: Histograms;
  scatter: Scatter;
  survival: Survival;
  promotion: Promotion;
  ages: Ages;
  suspects: Suspects;
  diff: Diff;
  folded: string;
  lines: Lines;
  source: SourceLines;
  wrappers: Wrappers;
}
export type Route = keyof Answers;
export type Parameters = [string, string][];

/** What is said when a parameter cannot be read, or there is nobody to answer. */
export class RouteError extends Error {
  constructor(
    message: string,
    readonly parameter: string | null = null,
    readonly status = 400,
  ) {
    super(message);
  }
}

export const unpack = (a: PackedAmount | Amount): Amount =>
  Array.isArray(a)
    ? { samples: a[0], blocks: a[1], bytes: [a[2], a[3], a[4]], objects: [a[5], a[6], a[7]] }
    : a;
