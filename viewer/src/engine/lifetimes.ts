// SPDX-License-Identifier: MIT
/** /api/histograms, /api/scatter, /api/survival, /api/promotion: how large, for how long. */
import type { Histograms, Promotion, Scatter, Survival } from "../api";
import { shareInterval, z95 } from "../statistics";
import { never } from "./index";
import { Sums, type View } from "./sums";
import { groupsOf } from "./table";

/** Bins of analysis::log_histogram: eight to an octave, exact below 16. */
export function binOf(value: number): number {
  if (value < 16) return Math.floor(value);
  let octave = Math.floor(Math.log2(value));
  if (2 ** octave > value) --octave;
  if (2 ** (octave + 1) <= value) ++octave;
  return 16 + (octave - 4) * 8 + (Math.floor(value / 2 ** (octave - 3)) & 7);
}
export function lowerEdge(bin: number): number {
  if (bin < 16) return bin;
  const octave = Math.floor((bin - 16) / 8) + 4;
  return (8 + ((bin - 16) % 8)) * 2 ** (octave - 3);
}
const bins = 16 + 60 * 8;

function ageOf(view: View, i: number): { age: number; died: boolean } {
  const r = view.chosen.residence;
  const died = r.goneEvent(i) !== never;
  const gone = died ? r.gone(i) : view.index.trace.duration_us;
  return { age: Math.max(0, gone - r.born(i)), died };
}

export function histograms(view: View): Histograms {
  const { index, chosen } = view;
  const sizes = new Sums(bins);
  const lifetimes = new Sums(bins);
  const died = new Float64Array(bins);
  for (const i of chosen.objects) {
    sizes.add(index, binOf(index.length[i] * index.trace.word_bytes), 0, i);
    const life = ageOf(view, i);
    const bin = binOf(life.age);
    lifetimes.add(index, bin, 0, i);
    if (life.died) died[bin] += index.samples[i];
  }
  const write = (sums: Sums) => {
    const used = Array.from({ length: bins }, (_, b) => b).filter((b) => sums.cells[b * 12 + 1] > 0);
    if (used.length === 0) return [];
    const all = Array.from({ length: used.at(-1)! - used[0] + 1 }, (_, k) => used[0] + k);
    return all.map((b) => ({
      bin: b,
      from: lowerEdge(b),
      to: lowerEdge(b + 1),
      samples: sums.samples(b, 0),
      amount: sums.amount(index, b, 0),
    }));
  };
  return {
    sizes: write(sizes).map(({ bin: _, ...rest }) => rest),
    lifetimes: write(lifetimes).map(({ bin, ...rest }) => ({
      ...rest,
      died: died[bin],
      survived: rest.samples - died[bin],
    })),
  };
}

/** The same choice each time: those whose scrambled numbers are least. */
export function scatter(view: View, points: number): Scatter {
  const { index, chosen } = view;
  let kept = [...chosen.objects];
  if (kept.length > points) {
    const scrambled = (i: number) => {
      let x = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
      x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
      return (x ^ (x >>> 16)) >>> 0;
    };
    kept = kept
      .map((i) => [scrambled(i), i])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .slice(0, points)
      .map(([, i]) => i)
      .sort((a, b) => a - b);
  }
  return {
    points: kept.map((i) => {
      const { age, died } = ageOf(view, i);
      return [chosen.residence.born(i), age, index.samples[i], died ? 1 : 0];
    }),
    objects: chosen.objects.length,
  };
}

/** analysis::survival_builder: the actuarial estimate in bins, its interval by log(-log). */
function curve(view: View): [number, number, number, number][] {
  const { index, chosen } = view;
  const deaths = new Float64Array(bins);
  const censored = new Float64Array(bins);
  let total = 0;
  let squares = 0;
  for (const i of chosen.objects) {
    const { age, died } = ageOf(view, i);
    const w = index.samples[i];
    (died ? deaths : censored)[binOf(age)] += w;
    total += w;
    squares += w * w;
  }
  if (total === 0) return [];
  const repeated = squares / total;
  const points: [number, number, number, number][] = [[0, 1, 1, 1]];
  let atRisk = total;
  let share = 1;
  let greenwood = 0;
  for (let b = 0; b < bins; ++b) {
    const d = deaths[b];
    const c = censored[b];
    if (d === 0 && c === 0) continue;
    const exposed = atRisk - c / 2;
    if (d > 0 && exposed > 0) {
      share *= Math.max(0, 1 - d / exposed);
      if (exposed > d) greenwood += d / (exposed * (exposed - d));
    }
    atRisk = Math.max(0, atRisk - d - c);
    let [lower, upper] = [share, share];
    if (share > 0 && share < 1) {
      const error = Math.sqrt(greenwood * repeated) / Math.abs(Math.log(share));
      lower = share ** Math.exp(z95 * error);
      upper = share ** Math.exp(-z95 * error);
    }
    points.push([lowerEdge(b + 1), share, lower, upper]);
  }
  return points;
}

export function survival(view: View, under: { name: string; view: View }[]): Survival {
  return {
    curves: [
      { name: null, points: curve(view) },
      ...under.map((u) => ({ name: u.name, points: curve(u.view) })),
    ],
  };
}

/** By allocation site: what began on the minor heap, and what of it was promoted. */
export function promotion(view: View, limit: number): Promotion {
  const { index, chosen } = view;
  const groups = groupsOf(index, "site", chosen.selection.hide);
  const minor = new Sums(groups.names.length);
  const promoted = new Sums(groups.names.length);
  for (const i of chosen.objects) {
    const g = groups.ofNode[index.stack[i]];
    if (g < 0 || (index.where[i] & 3) !== 0) continue;
    minor.add(index, g, 0, i);
    if (index.promoted_event[i] !== never) promoted.add(index, g, 0, i);
  }
  const rows = groups.names
    .map((_, g) => g)
    .filter((g) => minor.samples(g, 0) > 0)
    .sort(
      (a, b) =>
        promoted.samples(b, 0) - promoted.samples(a, 0) ||
        minor.samples(b, 0) - minor.samples(a, 0) ||
        (groups.names[a] < groups.names[b] ? -1 : 1),
    )
    .slice(0, limit);
  return {
    rows: rows.map((g) => [
      groups.names[g],
      minor.packed(index, g, 0),
      promoted.packed(index, g, 0),
      ...shareInterval(promoted.samples(g, 0), minor.samples(g, 0)),
    ]),
  };
}
