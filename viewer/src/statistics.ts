// SPDX-License-Identifier: MIT
/**
 * The intervals of src/analysis: exact ones for bytes, by the binomial law of the samples; for
 * objects by the gamma law of a weighted sum; Wilson's for shares. docs/statistical.md has the
 * equations by their numbers. Relative accuracy 1e-12 or better.
 */
import type { Estimate } from "./api";
import { gammaQuantile } from "./statistics_gamma";
import { deviance, stirlingRest, tailIntegral } from "./statistics_tail";

export const z95 = 1.959963984540054;
const half = 0.025;

/** log P(Bin(n, p) = k), 0 <= k <= n. */
function logMass(k: number, n: number, p: number): number {
  const q = 1 - p;
  if (k === 0) return n === 0 ? 0 : n * Math.log1p(-p);
  if (k === n) return n * Math.log(p);
  const rest = stirlingRest(n) - stirlingRest(k) - stirlingRest(n - k);
  const width = 2 * Math.PI * k * ((n - k) / n);
  return rest - 0.5 * Math.log(width) - deviance(k, n * p) - deviance(n - k, n * q);
}

/** One of the tails P(X >= k), P(X < k), by equation (11): the mass at its end times an integral. */
function tail(k: number, n: number, p: number, upper: boolean): number {
  const hits = upper ? k : n - k + 1;
  const hit = upper ? p : 1 - p;
  const miss = upper ? 1 - p : p;
  const slope = (hits - 1 - (n - 1) * hit) / miss;
  const integral = tailIntegral(hits - 1, n - hits, hit / miss, slope);
  const log = logMass(hits, n, hit) + (hits < n ? Math.log(hits * integral) : 0);
  return Math.exp(log);
}

/** P(X >= k) and P(X < k) of X of Bin(n, p), for 1 <= k <= n and p < 1: the small one to all its digits. */
function tails(k: number, n: number, p: number): [number, number] {
  let upper = k > n * p;
  let small = tail(k, n, p, upper);
  if (small > 0.5) {
    upper = !upper;
    small = tail(k, n, p, upper);
  }
  return upper ? [small, 1 - small] : [1 - small, small];
}

/** P(Bin(n, p) >= k), for k >= 1. */
export function chanceOfAtLeast(k: number, n: number, p: number): number {
  if (k > n) return 0;
  return p >= 1 ? 1 : tails(k, n, p)[0];
}
/** P(Bin(n, p) < k), for k >= 1. */
function chanceOfLess(k: number, n: number, p: number): number {
  if (k > n) return 1;
  return p >= 1 ? 0 : tails(k, n, p)[1];
}

/** The least n with P(Bin(n, p) >= k) >= t: rises with n. */
function firstWords(k: number, t: number, p: number): number {
  const at = (n: number) => chanceOfAtLeast(k, n, p) - t;
  let low = k - 1;
  let high = Math.max(k, Math.ceil((k + 4 * Math.sqrt(k) + 6) / p));
  while (at(high) < 0) high *= 2;
  let guess = Math.ceil((k + (t < 0.5 ? -2 : 2) * Math.sqrt(k)) / p);
  // Illinois with a bisection's guarantee: low is below, high is not.
  let fLow = -t;
  let fHigh = at(high);
  for (let i = 0; high - low > 1 && i < 200; ++i) {
    if (!(guess > low && guess < high)) guess = Math.floor(low / 2 + high / 2);
    if (guess <= low) break;
    const f = at(guess);
    if (f < 0) {
      low = guess;
      fLow = f;
      if (i % 3 !== 2) fHigh /= 2;
    } else {
      high = guess;
      fHigh = f;
      if (i % 3 !== 2) fLow /= 2;
    }
    guess =
      i % 4 === 3
        ? Math.floor(low / 2 + high / 2)
        : Math.round(low + ((high - low) * -fLow) / (fHigh - fLow));
    if (guess <= low) guess = low + 1;
    if (guess >= high) guess = high - 1;
  }
  return high;
}

/** Words allocated, given their samples: allocated_interval(), equation (24). */
export function wordsInterval(samples: number, rate: number): [number, number] {
  const lower = samples === 0 ? 0 : firstWords(samples, half, rate);
  // The largest n with P(X <= k) >= t, that is P(X >= k + 1) <= 1 - t.
  return [lower, firstWords(samples + 1, 1 - half, rate) - 1];
}

/** The bounds of samples that stand for bytes, known once for each count. */
export class Intervals {
  private readonly known = new Map<number, Estimate>();
  constructor(
    readonly rate: number,
    readonly wordBytes: number,
  ) {}
  get bytesPerSample() {
    return this.wordBytes / this.rate;
  }

  bytes(samples: number): Estimate {
    let e = this.known.get(samples);
    if (e === undefined) {
      const value = (samples / this.rate) * this.wordBytes;
      if (this.rate >= 1) {
        e = [value, value, value];
      } else if ((samples + 1) / this.rate < 2 ** 62) {
        const [lower, upper] = wordsInterval(samples, this.rate);
        e = [value, lower * this.wordBytes, upper * this.wordBytes];
      } else {
        const spread = 1.96 * Math.sqrt(samples + 1);
        const of = (n: number) => (n / this.rate) * this.wordBytes;
        e = [value, of(Math.max(0, samples - spread)), of(samples + spread)];
      }
      this.known.set(samples, e);
    }
    return [...e];
  }

  /**
   * Objects: objects_estimate() of src/offline/analysis/sample_error.cpp. `objects` is the sum of what the
   * samples stand for, `spread` that of the squares: docs/statistical.md (30) and (31).
   */
  objects(samples: number, blocks: number, objects: number, spread: number): Estimate {
    if (this.rate >= 1) return [objects, objects, objects];
    if (samples === 0) return [0, 0, -Math.log(half) / this.rate];
    const v = (1 - this.rate) * spread;
    // The event that was not seen weighs what the others do in the mean.
    const unseen = v / objects;
    const lower = unseen * gammaQuantile((objects * objects) / v, half, true);
    const mean = objects + unseen;
    const wide = v + unseen * unseen;
    const upper = (wide / mean) * gammaQuantile((mean * mean) / wide, half, false);
    return [
      objects,
      Math.min(objects, Math.max(lower, blocks)),
      Math.max(objects, upper, blocks),
    ];
  }
}

/** Wilson's interval of a share: estimated_share(). */
export function shareInterval(part: number, whole: number): Estimate {
  if (whole === 0) return [0, 0, 0];
  const p = part / whole;
  const zz = (z95 * z95) / whole;
  const middle = (p + zz / 2) / (1 + zz);
  const width = (z95 * Math.sqrt((p * (1 - p)) / whole + zz / (4 * whole))) / (1 + zz);
  // Of none or all of them the interval ends there, whatever the last digit says.
  return [p, Math.max(0, Math.min(p, middle - width)), Math.min(1, Math.max(p, middle + width))];
}

/** That counts differ as much or more by chance, when each stands for `scale`: two-sided, exact. */
export function chanceOfDifference(a: number, scaleA: number, b: number, scaleB: number): number {
  const n = a + b;
  if (n === 0) return 1;
  const p = scaleB / (scaleA + scaleB);
  const noFewer = a === 0 ? 1 : chanceOfAtLeast(a, n, p);
  const noMore = chanceOfLess(a + 1, n, p);
  return Math.min(1, 2 * Math.min(noFewer, noMore));
}

/** Faint: an interval that includes zero, or is wider than the value is large. */
export const isFaint = ([value, lower, upper]: Estimate): boolean =>
  lower <= 0 || upper - lower > value;
