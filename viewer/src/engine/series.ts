// SPDX-License-Identifier: MIT
/** /api/series, /api/stacked, /api/ages: what is live over time. Live at the end of each step. */
import type { Ages, Series, Stacked } from "../api";
import type { Index } from "./index";
import type { Chosen } from "./selection";
import { type View, valueIndex } from "./sums";
import { type Grouping, groupsOf } from "./table";

/** Equal steps over the run: their width, their number, and the step of a time. */
export class Steps {
  readonly step_us: number;
  readonly count: number;
  constructor(duration: number, points: number) {
    this.step_us = Math.max(1, Math.ceil(duration / points));
    this.count = Math.floor(duration / this.step_us) + 1;
  }
  of(time: number): number {
    return Math.min(this.count - 1, Math.floor(time / this.step_us));
  }
}

interface Changes {
  allocated: number[];
  freed: number[];
}
function changes(index: Index, chosen: Chosen, steps: Steps): Changes {
  const allocated = new Array<number>(steps.count).fill(0);
  const freed = new Array<number>(steps.count).fill(0);
  for (const i of chosen.objects) {
    allocated[steps.of(chosen.residence.born(i))] += index.samples[i];
    const gone = chosen.residence.gone(i);
    if (gone >= 0) freed[steps.of(gone)] += index.samples[i];
  }
  return { allocated, freed };
}
function live({ allocated, freed }: Changes): number[] {
  let now = 0;
  return allocated.map((a, k) => (now += a - freed[k]));
}

export function series(view: View, whole: View, filtered: boolean, points: number): Series {
  const { index } = view;
  const steps = new Steps(index.trace.duration_us, points);
  const all = changes(index, whole.chosen, steps);
  const chosen = filtered ? changes(index, view.chosen, steps) : all;
  const peakOf = (v: View) => ({
    time_us: v.peak.time_us,
    amount: v.total.amount(index, 0, valueIndex.peak),
  });
  return {
    step_us: steps.step_us,
    total: live(all),
    filtered: filtered ? live(chosen) : null,
    allocated: chosen.allocated,
    freed: chosen.freed,
    bytes_per_sample: index.intervals.bytesPerSample,
    peak: peakOf(whole),
    filtered_peak: filtered ? peakOf(view) : null,
  };
}

/** The n groups that hold most at the peak of the selection, and the rest. */
export function stacked(view: View, by: Grouping, n: number, points: number): Stacked {
  const { index, chosen } = view;
  const steps = new Steps(index.trace.duration_us, points);
  const groups = groupsOf(index, by, chosen.selection.hide);
  const sums = view.sumBy(groups.names.length, (i) => groups.ofNode[index.stack[i]]);
  const largest = groups.names
    .map((_, g) => g)
    .filter((g) => sums.samples(g, valueIndex.peak) > 0)
    .sort(
      (a, b) =>
        sums.samples(b, valueIndex.peak) - sums.samples(a, valueIndex.peak) ||
        (groups.names[a] < groups.names[b] ? -1 : 1),
    )
    .slice(0, n);
  const rowOf = new Int32Array(groups.names.length).fill(largest.length);
  largest.forEach((g, k) => (rowOf[g] = k));
  const deltas = Array.from({ length: largest.length + 1 }, () =>
    new Array<number>(steps.count).fill(0),
  );
  for (const i of chosen.objects) {
    const g = groups.ofNode[index.stack[i]];
    const row = deltas[g < 0 ? largest.length : rowOf[g]];
    row[steps.of(chosen.residence.born(i))] += index.samples[i];
    const gone = chosen.residence.gone(i);
    if (gone >= 0) row[steps.of(gone)] -= index.samples[i];
  }
  return {
    step_us: steps.step_us,
    rows: deltas.map((row, k) => {
      let now = 0;
      return {
        name: k < largest.length ? groups.names[largest[k]] : "(rest)",
        samples: row.map((d) => (now += d)),
      };
    }),
    bytes_per_sample: index.intervals.bytesPerSample,
  };
}

/** Bounds of ages: each band is four times as old as the one before, the last one has no end. */
export function ageBounds(duration: number, bands: number): number[] {
  const bounds = [0];
  for (let k = bands - 1; k >= 1; --k) bounds.push(Math.ceil(duration / 4 ** k));
  return bounds;
}

/** The live heap by age, at the end of each step. */
export function ages(view: View, bands: number, points: number): Ages {
  const { index, chosen } = view;
  const duration = index.trace.duration_us;
  const steps = new Steps(duration, points);
  const bounds = ageBounds(duration, bands);
  const deltas = bounds.map(() => new Array<number>(steps.count + 1).fill(0));
  // At the end of step k the time is (k + 1) step; a block is of age a there if born + a <= it.
  const firstStep = (time: number) => Math.ceil(time / steps.step_us) - 1;
  for (const i of chosen.objects) {
    const born = chosen.residence.born(i);
    const gone = chosen.residence.gone(i);
    const begin = steps.of(born);
    const end = gone < 0 ? steps.count : steps.of(gone);
    for (let b = 0; b < bounds.length; ++b) {
      const from = b === 0 ? begin : Math.max(begin, firstStep(born + bounds[b]));
      const next =
        b + 1 < bounds.length ? Math.max(begin, firstStep(born + bounds[b + 1])) : end;
      const to = Math.min(end, next);
      if (from >= to || from >= steps.count) continue;
      deltas[b][from] += index.samples[i];
      deltas[b][to] -= index.samples[i];
    }
  }
  return {
    step_us: steps.step_us,
    bands: bounds.map((from, b) => {
      let now = 0;
      return {
        from_us: from,
        to_us: b + 1 < bounds.length ? bounds[b + 1] : null,
        samples: deltas[b].slice(0, steps.count).map((d) => (now += d)),
      };
    }),
    bytes_per_sample: index.intervals.bytesPerSample,
  };
}
