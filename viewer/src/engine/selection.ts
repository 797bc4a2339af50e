// SPDX-License-Identifier: MIT
/** Which sampled blocks an answer is about: as src/offline/analysis/selection. */
import { flag, type Parameters, RouteError } from "../api";
import { type Index, never, staysToTheEnd } from "./index";
import { type Matcher, parsePattern, parseSize, parseTime } from "./amount_syntax";

interface Range {
  from?: number;
  to?: number;
}
const holds = (r: Range, x: number) =>
  (r.from === undefined || x >= r.from) && (r.to === undefined || x <= r.to);

export interface Selection {
  allocated: Range;
  live: Range;
  collected: Range;
  size: Range;
  lifetime: Range;
  /** Bytes. */
  freedWithin?: number;
  liveAt?: number;
  liveAtPeak: boolean;
  liveAtEnd: boolean;
  neverCollected: boolean;
  heaps: { minor: boolean; major: boolean; external: boolean };
  domains: Set<number>;
  threads: Matcher[];
  inside: Matcher[];
  notInside: Matcher[];
  files: Matcher[];
  notFiles: Matcher[];
  hide: Matcher[];
  hideTexts: string[];
}

type Heap = keyof Selection["heaps"];
const heapNames: readonly string[] = ["minor", "major", "external"];

function heapsOf(name: string, text: string): Heap[] {
  return text.split(",").map((h) => {
    if (!heapNames.includes(h)) {
      throw new RouteError(`${name}: '${h}' is no heap: minor, major, external`, name);
    }
    return h as Heap;
  });
}
function domainsOf(name: string, text: string): number[] {
  return text.split(",").map((d) => {
    const n = Number(d);
    if (!/^\d+$/.test(d) || n > 65535) {
      throw new RouteError(`${name}: '${d}' is no domain: 0 to 65535`, name);
    }
    return n;
  });
}

/** The parameters that are the selection's; others are passed over. */
export function parseSelection(parameters: Parameters): Selection {
  const s: Selection = {
    allocated: {}, live: {}, collected: {}, size: {}, lifetime: {},
    liveAtPeak: false, liveAtEnd: false, neverCollected: false,
    heaps: { minor: true, major: true, external: true },
    domains: new Set(),
    threads: [],
    inside: [], notInside: [], files: [], notFiles: [], hide: [], hideTexts: [],
  };
  const chosen: Heap[] = [];
  const left: Heap[] = [];
  for (const [name, text] of parameters) {
    switch (name) {
      case "allocated-after": s.allocated.from = parseTime(name, text); break;
      case "allocated-before": s.allocated.to = parseTime(name, text); break;
      case "live-after": s.live.from = parseTime(name, text); break;
      case "live-before": s.live.to = parseTime(name, text); break;
      case "collected-after": s.collected.from = parseTime(name, text); break;
      case "collected-before": s.collected.to = parseTime(name, text); break;
      case "lifetime-min": s.lifetime.from = parseTime(name, text); break;
      case "lifetime-max": s.lifetime.to = parseTime(name, text); break;
      case "size-min": s.size.from = parseSize(name, text); break;
      case "size-max": s.size.to = parseSize(name, text); break;
      case "freed-within": s.freedWithin = parseSize(name, text); break;
      case "live-at": s.liveAt = parseTime(name, text); break;
      case "live-at-peak": s.liveAtPeak = text === "1"; break;
      case "live-at-end": s.liveAtEnd ||= text === "1"; break;
      case "never-collected": s.neverCollected ||= text === "1"; break;
      case "function": s.inside.push(parsePattern(name, text)); break;
      case "not-function": s.notInside.push(parsePattern(name, text)); break;
      case "file": s.files.push(parsePattern(name, text)); break;
      case "not-file": s.notFiles.push(parsePattern(name, text)); break;
      case "hide":
        s.hide.push(parsePattern(name, text));
        s.hideTexts.push(text);
        break;
      case "heap": chosen.push(...heapsOf(name, text)); break;
      case "not-heap": left.push(...heapsOf(name, text)); break;
      case "thread": s.threads.push(parsePattern(name, text)); break;
      case "domain": for (const d of domainsOf(name, text)) s.domains.add(d); break;
    }
  }
  for (const name of ["allocated", "live", "collected"] as const) {
    const { from, to } = s[name];
    if (from !== undefined && to !== undefined && from > to) {
      throw new RouteError(`${name}-...: the range is empty`, `${name}-after`);
    }
  }
  if (chosen.length > 0) for (const h of heapNames as Heap[]) s.heaps[h] = chosen.includes(h);
  for (const h of left) s.heaps[h] = false;
  if (!s.heaps.minor && !s.heaps.major && !s.heaps.external) {
    throw new RouteError("heap, not-heap: no heap is left", "heap");
  }
  return s;
}

/** When each block is in the chosen heaps; as the index says where these are all. */
export interface Residence {
  /** null: every block, at some time. */
  there: Uint8Array | null;
  born: Float64Array;
  gone: Float64Array;
  bornEvent: Uint32Array;
  goneEvent: Uint32Array;
}

function residenceOf(index: Index, heaps: Selection["heaps"]): Residence {
  const { born, gone, promoted } = index;
  const [bornEvent, goneEvent, promotedEvent] = [index.born_event, index.gone_event, index.promoted_event];
  if (heaps.minor && heaps.major && heaps.external) return { there: null, born, gone, bornEvent, goneEvent };
  const r = {
    there: new Uint8Array(index.objects),
    born: born.slice(), gone: gone.slice(), bornEvent: bornEvent.slice(), goneEvent: goneEvent.slice(),
  };
  const whole = [heaps.minor, heaps.major, heaps.external];
  for (let i = 0; i < index.objects; ++i) {
    const heap = index.where[i] & 3;
    const isPromoted = promotedEvent[i] !== never;
    r.there[i] = whole[heap] || (heap === 0 && heaps.major && isPromoted) ? 1 : 0;
    if (heap === 0 && !heaps.minor) {
      r.born[i] = promoted[i];
      r.bornEvent[i] = promotedEvent[i];
    }
    if (!heaps.major && isPromoted && promotedEvent[i] < goneEvent[i]) {
      r.gone[i] = promoted[i];
      r.goneEvent[i] = promotedEvent[i];
    }
  }
  return r;
}

/** For each node whether its backtrace satisfies the patterns of functions and files. */
function markNodes(index: Index, s: Selection): Uint8Array | null {
  const patterns = [...s.inside, ...s.files, ...s.notInside, ...s.notFiles];
  if (patterns.length === 0) return null;
  if (patterns.length > 30) throw new RouteError("more than 30 patterns of functions and files");
  const { functions, files, frames } = index.tables;
  const bitsOf = (texts: string[], lists: [Matcher[], number][]) =>
    texts.map((t) => {
      let bits = 0;
      for (const [list, first] of lists) {
        list.forEach((m, k) => { if (m(t)) bits |= 1 << (first + k); });
      }
      return bits;
    });
  const [a, b, c] = [s.inside.length, s.files.length, s.notInside.length];
  const ofFunction = bitsOf(functions, [[s.inside, 0], [s.notInside, a + b]]);
  const ofFile = bitsOf(files, [[s.files, a], [s.notFiles, a + b + c]]);
  const must = (1 << (a + b)) - 1;
  const marks = new Uint32Array(index.nodes);
  const result = new Uint8Array(index.nodes);
  for (let i = 0; i < index.nodes; ++i) {
    if (i > 0) {
      const f = frames[index.frame[i]];
      // Code of which nothing is known has no name that a pattern could match.
      const own = (f[5] & flag.unnamed) !== 0 ? 0 : ofFunction[f[0]] | ofFile[f[1]];
      marks[i] = marks[index.parent[i]] | own;
    }
    result[i] = (marks[i] & must) === must && (marks[i] & ~must) === 0 ? 1 : 0;
  }
  return result;
}

export interface Chosen {
  selection: Selection;
  /** No block is left out. */
  everything: boolean;
  /** In the order of their allocations. */
  objects: Uint32Array;
  /** 1 for each of them. */
  mask: Uint8Array;
  /** Of each block those that count: analysis::block_choice. */
  samples: Uint32Array;
  /** The blocks were chosen by the peak. */
  picked: boolean;
  residence: Residence;
}

function isEverything(s: Selection): boolean {
  const ranges = [s.allocated, s.live, s.collected, s.size, s.lifetime];
  return (
    ranges.every((r) => r.from === undefined && r.to === undefined) &&
    s.freedWithin === undefined && s.liveAt === undefined && !s.liveAtPeak && !s.liveAtEnd && !s.neverCollected && s.domains.size === 0 && s.threads.length === 0 &&
    s.heaps.minor && s.heaps.major && s.heaps.external &&
    [s.inside, s.notInside, s.files, s.notFiles].every((list) => list.length === 0)
  );
}

/** One pass over the blocks for each filter that is set. */
export function choose(index: Index, s: Selection): Chosen {
  const residence = residenceOf(index, s.heaps);
  const { born, gone, goneEvent } = residence;
  const nodes = markNodes(index, s);
  const end = index.trace.duration_us;
  const mask = residence.there ?? new Uint8Array(index.objects).fill(1);
  const keep = (passes: (i: number) => boolean) => {
    for (let i = 0; i < mask.length; ++i) if (mask[i] !== 0 && !passes(i)) mask[i] = 0;
  };
  const isSet = (r: Range) => r.from !== undefined || r.to !== undefined;
  const stays = (i: number) => goneEvent[i] === never;
  const isLiveAt = (i: number, t: number) => born[i] <= t && (stays(i) || gone[i] > t);
  const liveAt = (t: number) => keep((i) => isLiveAt(i, t));
  if (nodes !== null) keep((i) => nodes[index.stack[i]] !== 0);
  if (s.domains.size > 0) keep((i) => s.domains.has(index.where[i] >>> 2));
  if (s.threads.length > 0) {
    const names = index.trace.thread_names ?? [];
    const chosen = new Set(index.trace.domains.filter((_, k) => s.threads.some((matches) => names[k] !== undefined && matches(names[k]))));
    keep((i) => chosen.has(index.where[i] >>> 2));
  }
  if (isSet(s.size)) keep((i) => holds(s.size, index.length[i] * index.trace.word_bytes));
  if (isSet(s.allocated)) keep((i) => holds(s.allocated, born[i]));
  const { from, to } = s.live;
  if (to !== undefined) keep((i) => born[i] <= to);
  if (from !== undefined) keep((i) => stays(i) || gone[i] > from);
  if (s.liveAt !== undefined) liveAt(s.liveAt);
  let { samples } = index;
  if (s.liveAtPeak && index.exact) liveAt(index.peakTimes.first);
  else if (s.liveAtPeak) {
    // Each half counts where the other one has its peak.
    const { first, second } = index.peakTimes;
    samples = new Uint32Array(index.objects);
    for (let i = 0; i < index.objects; ++i) {
      if (isLiveAt(i, second)) samples[i] += index.first[i];
      if (isLiveAt(i, first)) samples[i] += index.second[i];
    }
    keep((i) => samples[i] > 0);
  }
  if (s.liveAtEnd) keep((i) => staysToTheEnd(index, born[i], gone[i], goneEvent[i]));
  if (s.neverCollected) keep(stays);
  if (isSet(s.collected)) keep((i) => holds(s.collected, stays(i) ? end : gone[i]));
  if (isSet(s.lifetime)) keep((i) => holds(s.lifetime, (stays(i) ? end : gone[i]) - born[i]));
  if (s.freedWithin !== undefined) {
    const most = s.freedWithin;
    const { between, gone_event, trace } = index;
    const bytesOf = (n: number) => (n / trace.file_sample_rate) * trace.word_bytes;
    // One that was promoted out of the chosen heaps was not freed there.
    keep((i) => !stays(i) && goneEvent[i] === gone_event[i] && bytesOf(between[i] - 1) <= most);
  }
  const objects = new Uint32Array(mask.length);
  let n = 0;
  for (let i = 0; i < mask.length; ++i) if (mask[i] !== 0) objects[n++] = i;
  return {
    selection: s, everything: isEverything(s), objects: objects.subarray(0, n), mask, samples,
    picked: s.liveAtPeak, residence,
  };
}
