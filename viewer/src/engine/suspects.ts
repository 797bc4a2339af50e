// SPDX-License-Identifier: MIT
/**
 * /api/suspects: allocation sites that look like leaks, ballooning queues, or caches.
 *
 * A leak: what it allocates in equal parts of the run survives alike in all of them, the first
 * included, so that more and more is in use. A queue: lifetimes first rise and then fall, or rise
 * for ever, while it is emptied in the order it was filled. A cache: it grows to a level and stays
 * there, what is new taking the place of what is old.
 */
import type { Suspect, Suspects } from "../api";
import { count, duration, percent, bytes as bytesText } from "../format";
import { type Index, never } from "./index";
import { type View, valueIndex } from "./sums";
import { groupsOf } from "./table";
import { Steps } from "./series";

const parts = 8;
const sparkPoints = 60;
const fewest = 8;

interface Site {
  name: string;
  objects: number[];
}
interface Facts {
  index: Index;
  allocated: number;
  alive: number;
  /** By part of the run: samples allocated, and of these alive at the end. */
  born: number[];
  left: number[];
  /** Live at the end of each part. */
  live: number[];
  peak: number;
  peakTime: number;
  /** Median lifetime of what was born in each part and died; -1: nothing did. */
  lifetimes: number[];
  spark: { step_us: number; samples: number[] };
}

function factsOf(view: View, objects: number[]): Facts {
  const { index } = view;
  const r = view.chosen.residence;
  const end = Math.max(1, index.trace.duration_us);
  const partOf = (t: number) => Math.min(parts - 1, Math.floor((t * parts) / end));
  const zeros = () => new Array<number>(parts).fill(0);
  const [born, left, change] = [zeros(), zeros(), zeros()];
  const ages: [number, number][][] = Array.from({ length: parts }, () => []);
  const steps = new Steps(end, sparkPoints);
  const spark = new Array<number>(steps.count).fill(0);
  let [allocated, alive] = [0, 0];
  for (const i of objects) {
    const n = index.samples[i];
    const p = partOf(r.born(i));
    born[p] += n;
    change[p] += n;
    allocated += n;
    spark[steps.of(r.born(i))] += n;
    if (r.goneEvent(i) === never) {
      left[p] += n;
      alive += n;
    } else {
      change[partOf(r.gone(i))] -= n;
      spark[steps.of(r.gone(i))] -= n;
      ages[p].push([r.gone(i) - r.born(i), n]);
    }
  }
  let now = 0;
  const live = change.map((c) => (now += c));
  now = 0;
  const samples = spark.map((c) => (now += c));
  const peak = Math.max(0, ...samples);
  return {
    index, allocated, alive, born, left, live, peak,
    peakTime: samples.indexOf(peak) * steps.step_us,
    lifetimes: ages.map(medianAge),
    spark: { step_us: steps.step_us, samples },
  };
}

function medianAge(list: [number, number][]): number {
  if (list.length === 0) return -1;
  list.sort((a, b) => a[0] - b[0]);
  let rest = list.reduce((sum, x) => sum + x[1], 0) / 2;
  for (const [age, n] of list) {
    rest -= n;
    if (rest <= 0) return age;
  }
  return list.at(-1)![0];
}

const held = (f: Facts, samples: number) => bytesText(samples * f.index.intervals.bytesPerSample);

/** Survivors in every part of the run but perhaps one, and growth to the end. */
function leak(f: Facts): { score: number; evidence: string[] } | null {
  if (f.alive < fewest) return null;
  const early = f.left.slice(0, parts - 1);
  const filled = early.filter((x) => x > 0).length;
  const beforeLast = early.reduce((a, b) => a + b, 0);
  const rising = f.live.filter((x, k) => k > 0 && x > f.live[k - 1]).length;
  if (filled < parts - 2 || beforeLast < 0.5 * f.alive || rising < parts - 3) return null;
  const share = f.alive / f.allocated;
  const evidence = [
    `${held(f, f.alive)} is in use at the end, ${percent(share)} of all it allocated.`,
    `Blocks of ${filled} of the first ${parts - 1} eighths of the run were never freed.`,
    `In use rose in ${rising} of ${parts - 1} steps, from ${held(f, f.live[0])} to ${held(f, f.alive)}.`,
  ];
  return { score: f.alive * (0.3 + 0.7 * share) * (filled / (parts - 1)), evidence };
}

function queue(f: Facts): { score: number; evidence: string[] } | null {
  const known = f.lifetimes.filter((x) => x >= 0);
  if (f.peak < fewest || known.length < 3) return null;
  const longest = Math.max(...known);
  const first = known[0];
  const final = f.live[parts - 1];
  if (first < 0 || longest < 3 * Math.max(1, first) || longest < f.index.trace.duration_us / 50) {
    return null;
  }
  if (f.live[0] > 0.5 * f.peak || final > 0.6 * f.peak) return null;
  return {
    score: f.peak * (1 - final / Math.max(1, f.peak)) * Math.min(3, longest / Math.max(1, first)),
    evidence: [
      `Blocks lived ${duration(first)} at first and ${duration(longest)} later: they wait longer and longer.`,
      `It held ${held(f, f.peak)} at ${duration(f.peakTime)} and ${held(f, final)} at the end.`,
      `Of ${count(f.allocated)} samples ${percent(1 - f.alive / f.allocated)} were freed: it is emptied.`,
    ],
  };
}

function cache(f: Facts): { score: number; evidence: string[] } | null {
  if (f.alive < fewest || f.alive > 0.9 * f.allocated) return null;
  const late = f.live.slice(parts / 2);
  const level = late.reduce((a, b) => a + b, 0) / late.length;
  const swing = Math.max(...late) - Math.min(...late);
  const lastAges = f.lifetimes.slice(parts / 2).filter((x) => x >= 0);
  const typical = lastAges.length > 0 ? Math.max(...lastAges) : 0;
  if (swing > 0.5 * level + 2 * Math.sqrt(level) || typical < f.index.trace.duration_us / 50) return null;
  return {
    score: level * Math.min(1, (20 * typical) / f.index.trace.duration_us),
    evidence: [
      `It keeps near ${held(f, level)} in the second half of the run, within ${held(f, swing)}.`,
      `${percent(1 - f.alive / f.allocated)} of its samples were freed, at a usual age of ${duration(typical)}: the old makes room for the new.`,
    ],
  };
}

export function suspects(view: View): Suspects {
  const { index, chosen } = view;
  const sites = groupsOf(index, "site", chosen.selection.hide);
  const functions = groupsOf(index, "function", chosen.selection.hide);
  const byName = new Map<number, Site & { function: string; at: number }>();
  for (const i of chosen.objects) {
    const g = sites.ofNode[index.stack[i]];
    if (g < 0) continue;
    let s = byName.get(g);
    if (s === undefined) {
      const f = functions.names[functions.ofNode[index.stack[i]]];
      s = { name: sites.names[g], function: f, objects: [], at: g };
      byName.set(g, s);
    }
    s.objects.push(i);
  }
  const sums = view.sumBy(sites.names.length, (i) => sites.ofNode[index.stack[i]]);
  const result: Suspects = { leaks: [], queues: [], caches: [] };
  for (const site of byName.values()) {
    if (site.objects.length < fewest) continue;
    const f = factsOf(view, site.objects);
    const add = (kind: Suspect["kind"], list: Suspect[], found: ReturnType<typeof leak>) => {
      if (found === null) return false;
      list.push({
        kind,
        function: site.function,
        site: site.name,
        score: found.score,
        amount: sums.amount(index, site.at, kind === "queue" ? valueIndex.peak : valueIndex.in_use),
        evidence: found.evidence,
        selection: {
          function: [`=${site.function}`],
          ...(kind === "leak" ? { "live-at-end": "1" } : {}),
        },
        sparkline: f.spark,
      });
      return true;
    };
    if (add("leak", result.leaks, leak(f))) continue;
    if (add("queue", result.queues, queue(f))) continue;
    add("cache", result.caches, cache(f));
  }
  for (const list of Object.values(result)) {
    list.sort((a: Suspect, b: Suspect) => b.score - a.score || (a.site < b.site ? -1 : 1));
  }
  return result;
}
