// SPDX-License-Identifier: MIT
/** `series`, `stacked`, `ages`: what is live over time. Live at the end of each step. */
import type { Ages, Series, Stacked } from "../api";
import { never } from "./index";
import type { Chosen } from "./selection";
import { type View, valueIndex } from "./sums";
import { type Grouping, groupsOf } from "./table";
import { bytewise } from "./tree";

/** Equal steps over a part of the run: their width, their number, and the step of a time. */
export class Steps {
  readonly step_us: number;
  readonly count: number;
  constructor(duration: number, points: number, private readonly from = 0) {
    this.step_us = Math.floor(duration / points) + 1;
    this.count = Math.floor(duration / this.step_us) + 1;
  }
  of(time: number): number {
    return Math.min(this.count - 1, Math.max(0, this.place(time)));
  }
  /** Negative before the first step, `count` or more after the last. */
  place(time: number): number {
    return Math.floor((Math.max(0, time) - this.from) / this.step_us);
  }
}

interface Changes {
  /** Live before the first step. */
  before: number;
  allocated: Float64Array;
  freed: Float64Array;
}
function changes(chosen: Chosen, steps: Steps, whole: boolean): Changes {
  let before = 0;
  const allocated = new Float64Array(steps.count);
  const freed = new Float64Array(steps.count);
  // What lies outside the whole run counts in its first or last step.
  const put = (counts: Float64Array, time: number, samples: number, sign: number) => {
    const k = whole ? steps.of(time) : steps.place(time);
    if (k < 0) before += sign * samples;
    else if (k < steps.count) counts[k] += samples;
  };
  const { born, gone, goneEvent } = chosen.residence;
  const { objects } = chosen;
  for (let k = 0; k < objects.length; ++k) {
    const i = objects[k];
    put(allocated, born[i], chosen.samples[i], 1);
    if (goneEvent[i] !== never) put(freed, gone[i], chosen.samples[i], -1);
  }
  return { before, allocated, freed };
}
function live({ before, allocated, freed }: Changes): number[] {
  let now = before;
  // Clocks of several domains may differ: a free may come in a step before its allocation.
  return Array.from(allocated, (a, k) => Math.max(0, (now += a - freed[k])));
}

/** window: from and to, of a part of the run; null: all of it. */
export function series(view: View, whole: View, points: number, window: [number, number] | null): Series {
  const { index } = view;
  const filtered = !view.chosen.everything;
  const steps =
    window === null ? new Steps(index.trace.duration_us, points) : new Steps(window[1] - window[0], points, window[0]);
  const all = changes(whole.chosen, steps, window === null);
  const chosen = filtered ? changes(view.chosen, steps, window === null) : all;
  const peakOf = (v: View) => ({
    time_us: v.peak.time_us,
    amount: v.total.amount(index, 0, valueIndex.peak),
  });
  return {
    step_us: steps.step_us,
    ...(window === null ? {} : { from_us: window[0] }),
    total: live(all),
    filtered: filtered ? live(chosen) : null,
    allocated: [...chosen.allocated],
    freed: [...chosen.freed],
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
  const sums = view.sumBy(groups.names.length, groups.ofNode);
  const largest = groups.names
    .map((_, g) => g)
    .filter((g) => sums.samples(g, valueIndex.peak) > 0)
    .sort(
      (a, b) =>
        sums.samples(b, valueIndex.peak) - sums.samples(a, valueIndex.peak) ||
        sums.samples(b, 0) - sums.samples(a, 0) ||
        bytewise(groups.names[a], groups.names[b]),
    )
    .slice(0, n);
  const rowOf = new Int32Array(groups.names.length).fill(largest.length);
  largest.forEach((g, k) => (rowOf[g] = k));
  const deltas = Array.from({ length: largest.length + 1 }, () => new Float64Array(steps.count));
  const { born, gone, goneEvent } = chosen.residence;
  const { objects } = chosen;
  for (let k = 0; k < objects.length; ++k) {
    const i = objects[k];
    const g = groups.ofNode[index.stack[i]];
    const row = deltas[g < 0 ? largest.length : rowOf[g]];
    row[steps.of(born[i])] += chosen.samples[i];
    if (goneEvent[i] !== never) row[steps.of(gone[i])] -= chosen.samples[i];
  }
  return {
    step_us: steps.step_us,
    rows: deltas.map((row, k) => {
      let now = 0;
      return {
        name: k < largest.length ? groups.names[largest[k]] : null,
        samples: Array.from(row, (d) => Math.max(0, (now += d))),
      };
    }),
    bytes_per_sample: index.intervals.bytesPerSample,
  };
}

/** The live heap by age: each band from a block's birthday of that age to its next. */
export function ages(view: View, bands: number, points: number): Ages {
  const { index, chosen } = view;
  const duration = index.trace.duration_us;
  const steps = new Steps(duration, points);
  const edges = Array.from({ length: bands }, (_, b) =>
    b === 0 ? 0 : Math.floor(duration / 2 ** (bands - b)),
  );
  const deltas = edges.map(() => new Float64Array(steps.count));
  const r = chosen.residence;
  for (const i of chosen.objects) {
    const born = r.born[i];
    const gone = r.goneEvent[i] !== never ? r.gone[i] : Infinity;
    for (let b = 0; b < bands; ++b) {
      const from = born + edges[b];
      if (from > duration || (from >= gone && b > 0)) break;
      const to = Math.min(gone, b + 1 < bands ? born + edges[b + 1] : Infinity);
      deltas[b][steps.of(from)] += chosen.samples[i];
      if (to <= duration || to === gone) {
        if (to !== Infinity) deltas[b][steps.of(to)] -= chosen.samples[i];
      }
    }
  }
  return {
    step_us: steps.step_us,
    bands: edges.map((from, b) => {
      let now = 0;
      return {
        from_us: from,
        to_us: b + 1 < bands ? edges[b + 1] : null,
        samples: Array.from(deltas[b], (d) => Math.max(0, (now += d))),
      };
    }),
    bytes_per_sample: index.intervals.bytesPerSample,
  };
}
