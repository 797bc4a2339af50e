// SPDX-License-Identifier: MIT
/** When the blocks of each function that allocates are born and die, those of all its lines together. */
import { passesOn, type Place } from "../api";
import { never } from "./index";
import { HalfCurve, type Peaks, replay, Sums, type View } from "./sums";
import { groupsOf } from "./table";
import { shownFrames } from "./tree";

export interface SiteLives {
  function: string;
  /** The line that most of its samples come from. */
  place: Place | null;
  objects: number[];
  allocated: Sums;
  inUse: Sums;
  atHalf: Sums;
  peak: Sums;
  /** Survivors that were born in the second and third quarter. */
  middle: Sums;
  survivors: number;
  survivorsIn: number[];
  /** Of all samples of the site, and in `peaks` of their halves. */
  peakTime: number;
  peaks: Peaks & { event: number };
  lastBorn: number;
  /** Of the survivors. */
  firstKept: number;
  lastKept: number;
}

export function livesOfSites(view: View, leastBlocks: number): SiteLives[] {
  const { index, chosen } = view;
  const r = chosen.residence;
  const groups = groupsOf(index, "function", chosen.selection.hide);
  // As long as the process worked.
  const duration = Math.max(Math.min(index.trace.duration_us, index.exit), 1);
  const sum = () => new Sums(1, chosen.picked);
  const sites: (SiteLives | null)[] = groups.names.map(() => null);
  for (const i of chosen.objects) {
    const g = groups.ofNode[index.stack[i]];
    if (g < 0) continue;
    sites[g] ??= {
      function: groups.names[g], place: null, objects: [],
      allocated: sum(), inUse: sum(), atHalf: sum(), peak: new Sums(1, true), middle: sum(),
      survivors: 0, survivorsIn: [0, 0, 0, 0], peakTime: 0, peaks: { first: -1, second: -1, event: -1 },
      lastBorn: 0, firstKept: Infinity, lastKept: 0,
    };
    sites[g].objects.push(i);
  }
  sites.forEach((s, g) => {
    if (s !== null && s.objects.length < leastBlocks) sites[g] = null;
  });
  findPeaks(view, groups.ofNode, sites);
  for (const l of sites) {
    for (const i of l?.objects ?? []) {
      const site = l!;
      const born = r.born[i];
      const stays = view.inUse(i);
      const quarter = Math.floor(Math.max(0, Math.min(3, (born / duration) * 4)));
      site.lastBorn = Math.max(site.lastBorn, born);
      site.allocated.add(index, 0, 0, i, chosen.samples[i]);
      if (stays) {
        ++site.survivors;
        site.firstKept = Math.min(site.firstKept, born);
        site.lastKept = Math.max(site.lastKept, born);
        ++site.survivorsIn[quarter];
        site.inUse.add(index, 0, 0, i, chosen.samples[i]);
        if (quarter === 1 || quarter === 2) site.middle.add(index, 0, 0, i, chosen.samples[i]);
      }
      const half = Math.floor(duration / 2);
      if (born <= half && (r.goneEvent[i] === never || r.gone[i] > half)) site.atHalf.add(index, 0, 0, i, chosen.samples[i]);
      if (chosen.picked) site.peak.add(index, 0, 0, i, chosen.samples[i]);
      else site.peak.addAtPeak(index, 0, 0, i, chosen, site.peaks);
    }
  }
  for (const site of sites) if (site !== null) site.place = placeOfBlocks(view, site.objects);
  return sites.filter((s): s is SiteLives => s !== null);
}

/** The line that allocated most of these blocks, of the innermost function that is not left out. */
function placeOfBlocks(view: View, objects: number[]): Place | null {
  const { index, chosen } = view;
  const { frames, files } = index.tables;
  const shown = shownFrames(index, chosen.selection.hide, true);
  const samples = new Map<string, [file: number, line: number, samples: number]>();
  for (const i of objects) {
    let node = index.stack[i];
    while (node !== 0 && (shown[index.frame[node]] === 0 || (frames[index.frame[node]][5] & passesOn) !== 0)) {
      node = index.parent[node];
    }
    const [, file, line] = node === 0 ? [0, 0, 0] : frames[index.frame[node]];
    if (line === 0) continue;
    const key = `${file}/${line}`;
    const known = samples.get(key);
    if (known === undefined) samples.set(key, [file, line, chosen.samples[i]]);
    else known[2] += chosen.samples[i];
  }
  const [most] = [...samples.values()].sort((a, b) => b[2] - a[2]);
  return most === undefined ? null : [files[most[0]], most[1], samples.size - 1];
}

/** The events at which most of each site is live, in the order of the file. */
function findPeaks(view: View, groupOf: Int32Array, sites: (SiteLives | null)[]): void {
  const { index, chosen } = view;
  const { samples } = chosen;
  const now = new Float64Array(sites.length);
  const most = new Float64Array(sites.length);
  const events = new Float64Array(sites.length).fill(-1);
  const curves = sites.map((s) => (s === null ? null : [new HalfCurve(index.exact), new HalfCurve(index.exact)]));
  const change = (g: number, event: number, i: number, sign: number) => {
    now[g] += sign * samples[i];
    curves[g]?.[0].change(sign * index.first[i], event);
    curves[g]?.[1].change(sign * index.second[i], event);
  };
  replay(
    index, chosen,
    (event, i) => {
      const g = groupOf[index.stack[i]];
      if (g < 0) return;
      change(g, event, i, 1);
      if (now[g] > most[g]) {
        most[g] = now[g];
        events[g] = event;
      }
    },
    (event, i) => {
      const g = groupOf[index.stack[i]];
      if (g >= 0) change(g, event, i, -1);
    },
  );
  sites.forEach((site, g) => {
    if (site === null || events[g] < 0) return;
    const [first, second] = curves[g]!;
    site.peaks = { first: first.at, second: second.at, event: events[g] };
    site.peakTime = chosen.residence.born[index.order[events[g]] >>> 2];
  });
}

/** How far lifetimes grow with the time of birth, up to the peak. */
export interface Growth {
  blocks: number;
  /** Spearman's. */
  correlation: number;
  deviations: number;
  early: number;
  late: number;
}

/** Equal values share the mean of their ranks. */
export function ranksOf(values: number[]): number[] {
  const order = values.map((_, k) => k).sort((a, b) => values[a] - values[b]);
  const ranks = new Array<number>(values.length);
  for (let i = 0; i < order.length; ) {
    let end = i + 1;
    while (end < order.length && values[order[end]] === values[order[i]]) ++end;
    for (let k = i; k < end; ++k) ranks[order[k]] = (i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

function correlationOf(x: number[], y: number[]): number {
  const mean = (x.length - 1) / 2;
  let [xy, xx, yy] = [0, 0, 0];
  x.forEach((a, k) => {
    xy += (a - mean) * (y[k] - mean);
    xx += (a - mean) ** 2;
    yy += (y[k] - mean) ** 2;
  });
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
}

const median = (values: number[]): number =>
  values.length === 0 ? 0 : values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

export function growthOf(view: View, site: SiteLives): Growth {
  const r = view.chosen.residence;
  const before = site.objects.filter((i) => r.born[i] <= site.peakTime);
  const born = before.map((i) => r.born[i]);
  const lifetimes = before.map(
    (i) => (r.goneEvent[i] === never ? view.index.trace.duration_us : r.gone[i]) - r.born[i],
  );
  const blocks = before.length;
  if (blocks < 3) return { blocks, correlation: 0, deviations: 0, early: 0, late: 0 };
  const byBirth = ranksOf(born);
  const correlation = correlationOf(byBirth, ranksOf(lifetimes));
  return {
    blocks,
    correlation,
    deviations: correlation * Math.sqrt(blocks - 1),
    early: median(lifetimes.filter((_, k) => byBirth[k] / blocks < 1 / 3)),
    late: median(lifetimes.filter((_, k) => byBirth[k] / blocks >= 2 / 3)),
  };
}
