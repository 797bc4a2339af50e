// SPDX-License-Identifier: MIT
/** `histograms`, `scatter`, `survival`, `promotion`: how large, for how long. */
import type { Histograms, Promotion, Scatter, Survival } from "../api";
import { effectiveShare, shareInterval, varianceOfSample } from "../statistics";
import { never } from "./index";
import { Sums, type View } from "./sums";
import { groupsOf } from "./table";
import { bytewise } from "./tree";

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
  const died = r.goneEvent[i] !== never;
  const gone = died ? r.gone[i] : view.index.trace.duration_us;
  return { age: Math.max(0, gone - r.born[i]), died };
}

/** [0], [1], [2, 4), [4, 8) ...: the number of bits of a value. */
function powerBin(value: number): number {
  if (value < 1) return 0;
  let bits = Math.floor(Math.log2(value)) + 1;
  // The logarithm may be off next to powers of two.
  if (2 ** bits <= value) ++bits;
  if (2 ** (bits - 1) > value) --bits;
  return bits;
}
const powers = 65;

export function histograms(view: View): Histograms {
  const { index, chosen } = view;
  const word = index.trace.word_bytes;
  const sizes = new Sums(powers, chosen.picked);
  const lifetimes = new Sums(powers, chosen.picked);
  const died = new Float64Array(powers);
  for (const i of chosen.objects) {
    sizes.add(index, powerBin(index.length[i]), 0, i, chosen.samples[i]);
    const life = ageOf(view, i);
    const bin = powerBin(life.age);
    lifetimes.add(index, bin, 0, i, chosen.samples[i]);
    if (life.died) died[bin] += chosen.samples[i];
  }
  const used = (sums: Sums): number[] => {
    const all = Array.from({ length: powers }, (_, b) => b);
    const filled = all.filter((b) => sums.cells[b * 12 + 1] > 0);
    return filled.length === 0 ? [] : all.slice(filled[0], filled.at(-1)! + 1);
  };
  const write = (sums: Sums, b: number, unit: number) => ({
    from: b === 0 ? 0 : 2 ** (b - 1) * unit,
    to: 2 ** b * unit,
    samples: sums.samples(b, 0),
    amount: sums.amount(index, b, 0),
  });
  return {
    sizes: used(sizes).map((b) => write(sizes, b, word)),
    lifetimes: used(lifetimes).map((b) => ({
      ...write(lifetimes, b, 1),
      died: died[b],
      survived: lifetimes.samples(b, 0) - died[b],
    })),
  };
}

/** The last step of MurmurHash3 in 32 bits. */
export function scatterHash(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** At most `most` of the blocks, in their order: those whose numbers have the least hashes. */
function leastHashes(objects: Uint32Array, most: number): number[] {
  if (objects.length <= most) return [...objects];
  // Which of 65536 parts of all hashes hold so many: the others need not be sorted.
  const parts = new Uint32Array(65536);
  for (let k = 0; k < objects.length; ++k) ++parts[scatterHash(objects[k]) >>> 16];
  let last = 0;
  for (let sum = parts[0]; sum < most; sum += parts[++last]);
  const found: [number, number][] = [];
  for (let k = 0; k < objects.length; ++k) {
    const hash = scatterHash(objects[k]);
    if (hash >>> 16 <= last) found.push([hash, objects[k]]);
  }
  return found
    .sort((a, b) => a[0] - b[0])
    .slice(0, most)
    .map(([, i]) => i)
    .sort((a, b) => a - b);
}

/** The same choice each time. */
export function scatter(view: View, points: number): Scatter {
  const { chosen } = view;
  return {
    points: leastHashes(chosen.objects, points).map((i) => {
      const { age, died } = ageOf(view, i);
      return [chosen.residence.born[i], age, chosen.samples[i], died ? 1 : 0];
    }),
    objects: chosen.objects.length,
  };
}

/** analysis::survival_builder: the actuarial estimate in bins; docs/statistical.md (38). */
function curve(view: View): [number, number, number, number][] {
  const { chosen } = view;
  const deaths = new Float64Array(bins);
  const censored = new Float64Array(bins);
  let total = 0;
  let squares = 0;
  for (const i of chosen.objects) {
    const { age, died } = ageOf(view, i);
    const w = chosen.samples[i];
    (died ? deaths : censored)[binOf(age)] += w;
    total += w;
    squares += w * w;
  }
  if (total === 0) return [];
  const repeated = (squares / total) * (chosen.picked ? varianceOfSample(view.index.trace.sample_rate, true) : 1);
  const points: [number, number, number, number][] = [[0, 1, ...effectiveShare(1, total / repeated)]];
  let atRisk = total;
  let share = 1;
  let greenwood = 0;
  let effective = total;
  for (let b = 0; b < bins; ++b) {
    const d = deaths[b];
    const c = censored[b];
    if (d === 0 && c === 0) continue;
    const exposed = atRisk - c / 2;
    if (d > 0 && exposed > 0) {
      share *= Math.max(0, 1 - d / exposed);
      if (exposed > d) greenwood += d / (exposed * (exposed - d));
    }
    // Where all or none died, the variance says nothing: as many as were looked at.
    if (share > 0) effective = share < 1 ? (1 - share) / (share * greenwood) : exposed;
    atRisk = Math.max(0, atRisk - d - c);
    points.push([lowerEdge(b + 1), share, ...effectiveShare(share, effective / repeated)]);
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
  const minor = new Sums(groups.names.length, chosen.picked);
  const promoted = new Sums(groups.names.length, chosen.picked);
  const squares = new Float64Array(groups.names.length);
  for (const i of chosen.objects) {
    const g = groups.ofNode[index.stack[i]];
    if (g < 0 || (index.where[i] & 3) !== 0) continue;
    minor.add(index, g, 0, i, chosen.samples[i]);
    if (index.promoted_event[i] !== never) promoted.add(index, g, 0, i, chosen.samples[i]);
    squares[g] += chosen.samples[i] * chosen.samples[i];
  }
  const rows = groups.names
    .map((_, g) => g)
    .filter((g) => minor.samples(g, 0) > 0)
    .sort(
      (a, b) =>
        promoted.samples(b, 0) - promoted.samples(a, 0) ||
        minor.samples(b, 0) - minor.samples(a, 0) ||
        bytewise(groups.names[a], groups.names[b]),
    );
  // Samples of one block share its fate: fewer observations than samples.
  const share = (g: number) => {
    const whole = minor.samples(g, 0);
    const once = whole / squares[g];
    return shareInterval(promoted.samples(g, 0) * once, whole * once);
  };
  return {
    rows: rows
      .slice(0, limit)
      .map((g) => [
        groups.names[g],
        minor.packed(index, g, 0),
        promoted.packed(index, g, 0),
        ...share(g),
      ]),
    more: Math.max(0, rows.length - limit),
  };
}
