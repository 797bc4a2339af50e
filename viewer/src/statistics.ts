// SPDX-License-Identifier: MIT
/**
 * The intervals of src/analysis: exact ones for bytes, by the binomial law of the samples; for
 * objects by the gamma law of a weighted sum; Clopper and Pearson's for shares, to 1e-9.
 * docs/statistical.md has the equations by their numbers. Otherwise relative accuracy 1e-12 or better.
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

/** Words allocated, given their samples: allocated_interval(), equation (25). */
export function wordsInterval(samples: number, rate: number): [number, number] {
  const lower = samples === 0 ? 0 : firstWords(samples, half, rate);
  // The largest n with P(X <= k) >= t, that is P(X >= k + 1) <= 1 - t.
  return [lower, firstWords(samples + 1, 1 - half, rate) - 1];
}

/** The variance of a count of samples over its mean: variance_of_sample() of src/offline/analysis/picked_moment. */
export const varianceOfSample = (rate: number, picked: boolean): number =>
  rate >= 1 ? 0 : picked ? 1.5 * (1 - rate / 2) : 1 - rate;

/**
 * weighted_bounds() of src/offline/analysis/picked_moment, equation (35): of a weighted sum of samples, where an
 * event that was not seen would have counted `unseen`.
 */
export function weightedBounds(value: number, variance: number, unseen: number): [number, number] {
  let lower = 0;
  if (value > 0) {
    const scale = Math.min(variance / value, value);
    lower = scale * gammaQuantile(value / scale, half, true);
  }
  const mean = value + unseen;
  const spread = variance + unseen * unseen;
  return [lower, (spread / mean) * gammaQuantile((mean * mean) / spread, half, false)];
}

/**
 * The bounds of what samples stand for. `picked`: they were counted at the peak, each half at the moment that the
 * other picked (docs/statistical.md, "The peak").
 */
export class Intervals {
  private readonly known = [new Map<number, Estimate>(), new Map<number, Estimate>()];
  constructor(
    readonly rate: number,
    readonly wordBytes: number,
  ) {}
  get bytesPerSample() {
    return this.wordBytes / this.rate;
  }

  /** Equations (25) and (37). */
  bytes(samples: number, picked = false): Estimate {
    const known = this.known[picked ? 1 : 0];
    let e = known.get(samples);
    if (e === undefined) {
      const of = (n: number) => (n / this.rate) * this.wordBytes;
      const value = of(samples);
      if (this.rate >= 1) {
        e = [value, value, value];
      } else if (picked) {
        const [lower, upper] = weightedBounds(samples, varianceOfSample(this.rate, true) * samples, 1);
        e = [value, of(lower), of(upper)];
      } else if ((samples + 1) / this.rate < 2 ** 62) {
        const [lower, upper] = wordsInterval(samples, this.rate);
        e = [value, lower * this.wordBytes, upper * this.wordBytes];
      } else {
        const spread = 1.96 * Math.sqrt(samples + 1);
        e = [value, of(Math.max(0, samples - spread)), of(samples + spread)];
      }
      known.set(samples, e);
    }
    return [...e];
  }

  /**
   * Objects: objects_estimate() of src/offline/analysis/sample_error.cpp. `objects` is the sum of what the
   * samples stand for, `spread` that of the squares: docs/statistical.md (34) and (35).
   */
  objects(samples: number, blocks: number, objects: number, spread: number, picked = false): Estimate {
    if (this.rate >= 1) return [objects, objects, objects];
    // What was not seen may be the smallest blocks that there are, of two words.
    const unseen = Math.max(1 / (2 * this.rate), samples > 0 ? spread / objects : 0);
    const [lower, upper] = weightedBounds(objects, varianceOfSample(this.rate, picked) * spread, unseen);
    const seen = picked ? Math.floor((blocks + 1) / 2) : blocks;
    return [objects, Math.min(objects, Math.max(lower, seen)), Math.max(objects, upper, seen)];
  }
}

/** p with P(Bin(n, p) >= k) = 2.5 %, 1 <= k <= n: least_share() of src/offline/analysis/effective_share.cpp. */
function leastShare(k: number, n: number): number {
  if (k === n) return half ** (1 / n);
  if (k === 1) return -Math.expm1(Math.log1p(-half) / n);
  const height = (x: number) => Math.log(chanceOfAtLeast(k, n, Math.exp(x)) / half);
  let high = Math.log(k / n);
  let low = high - 4.6;
  let [atLow, atHigh] = [height(low), height(high)];
  // With many observations the tail at `low` is 0 in double precision: halve until it is not.
  while (high - low > 1e-9 && !Number.isFinite(atLow)) {
    const x = (low + high) / 2;
    const at = height(x);
    if (at < 0) [low, atLow] = [x, at];
    else [high, atHigh] = [x, at];
  }
  let side = 0;
  while (high - low > 1e-9) {
    const x = (low * atHigh - high * atLow) / (atHigh - atLow);
    const at = height(x);
    if (Math.abs(at) < 1e-10) return Math.exp(x);
    const now = at < 0 ? -1 : 1;
    if (at < 0) {
      [low, atLow] = [x, at];
      if (now === side) atHigh /= 2;
    } else {
      [high, atHigh] = [x, at];
      if (now === side) atLow /= 2;
    }
    side = now;
  }
  return Math.exp((low + high) / 2);
}

/** Of a share as uncertain as one of `effective` independent observations, equation (38): lower and upper. */
export function effectiveShare(share: number, effective: number): [number, number] {
  const rounding = 1e-9;
  const n = Math.floor(Math.max(1, Math.min(1e15, effective * (1 + rounding))));
  const few = Math.floor(share * n * (1 + rounding));
  const many = Math.ceil(share * n * (1 - rounding));
  return [
    few <= 0 ? 0 : Math.min(share, leastShare(Math.min(few, n), n)),
    many >= n ? 1 : Math.max(share, 1 - leastShare(n - many, n)),
  ];
}

/** A share of samples with the same interval: estimated_share(). */
export function shareInterval(part: number, whole: number): Estimate {
  if (whole === 0) return [0, 0, 0];
  return [part / whole, ...effectiveShare(part / whole, whole)];
}

/** That shares differ as much or more by chance: Fisher's exact test, two-sided, equation (39). */
export function chanceOfShares(a: number, wholeA: number, b: number, wholeB: number): number {
  const [hits, all] = [a + b, wholeA + wholeB];
  if (hits === 0 || hits >= all || wholeA === 0 || wholeB === 0) return 1;
  const p = hits / all;
  const mass = Math.exp(logMass(a, wholeA, p) + logMass(b, wholeB, p) - logMass(hits, all, p));
  const up = a >= p * wholeA;
  const [inside, insideWhole, outside, outsideWhole] = up ? [a, wholeA, b, wholeB] : [b, wholeB, a, wholeA];
  let sum = 1;
  let term = 1;
  for (let k = 0; k < outside && inside + k < insideWhole && term > 1e-17 * sum; ++k) {
    term *= (((insideWhole - inside - k) / (inside + k + 1)) * (outside - k)) / (outsideWhole - outside + k + 1);
    sum += term;
  }
  const tail = Math.min(1, mass * sum);
  return Math.min(1, 2 * Math.min(tail, 1 - tail + mass));
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
