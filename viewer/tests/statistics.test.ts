// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import {
  chanceOfAtLeast, chanceOfDifference, Intervals, isFaint, shareInterval, wordsInterval,
} from "../src/statistics";
import { gammaQuantile } from "../src/statistics_gamma";

// samples, bytes, lower, upper, as `memprof top --json` prints them of leaky.ctf and rare.ctf.
const sparse: [number, number, number, number][] = [
  [0, 0, 0, 147536], [1, 40000, 1016, 222840], [2, 80000, 9696, 288960], [3, 120000, 24760, 350664],
  [7, 280000, 112592, 576872], [10, 400000, 191840, 735576], [29, 1160000, 776912, 1665896],
  [49, 1960000, 1450072, 2591160], [137, 5480000, 4600912, 6478152],
  [433, 17320000, 15727000, 19030624],
];
const rare: [number, number, number, number][] = [
  [0, 0, 0, 29511016], [3, 24000000, 4949384, 70138160], [99, 792000000, 643698592, 964231488],
];

describe("intervals of bytes are those of the command, to the word", () => {
  it.each(sparse)("%d samples at rate 2e-4", (n, value, lower, upper) => {
    expect(new Intervals(2e-4, 8).bytes(n)).toEqual([value, lower, upper]);
  });
  it.each(rare)("%d samples at rate 1e-6", (n, value, lower, upper) => {
    const e = new Intervals(1e-6, 8).bytes(n);
    expect(e[0]).toBeCloseTo(value, 6);
    expect(e.slice(1)).toEqual([lower, upper]);
  });
  it("is exact at rate 1", () => {
    expect(new Intervals(1, 8).bytes(736)).toEqual([5888, 5888, 5888]);
    expect(new Intervals(1, 8).objects(12, 5, 3.5, 1)).toEqual([3.5, 3.5, 3.5]);
  });
  it("is found for very many samples, and quickly", () => {
    const started = performance.now();
    for (let n = 1; n < 4e9; n = n * 1.7 + 1) {
      const [lower, upper] = wordsInterval(Math.floor(n), 1e-4);
      const mean = Math.floor(n) / 1e-4;
      expect(lower).toBeLessThan(mean);
      expect(upper).toBeGreaterThan(mean);
      const sd = Math.sqrt(Math.floor(n)) / 1e-4;
      if (n > 1000) expect((upper - lower) / (2 * 1.96 * sd)).toBeCloseTo(1, 1);
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("binomial tails", () => {
  /** By adding up the terms. */
  const summed = (k: number, n: number, p: number) => {
    let term = (1 - p) ** n;
    let below = 0;
    for (let i = 0; i < k; ++i) {
      below += term;
      term *= ((n - i) / (i + 1)) * (p / (1 - p));
    }
    return 1 - below;
  };
  it.each([
    [1, 10, 0.1], [3, 10, 0.5], [10, 10, 0.9], [20, 400, 0.05], [200, 1000, 0.2], [7, 50000, 1e-4],
    [60, 300, 0.15],
  ])("P(Bin(%d of %d, %d))", (k, n, p) => {
    expect(chanceOfAtLeast(k, n, p)).toBeCloseTo(summed(k, n, p), 11);
  });
  it("ends at certainty and impossibility", () => {
    expect(chanceOfAtLeast(11, 10, 0.5)).toBe(0);
    expect(chanceOfAtLeast(5, 10, 1)).toBe(1);
  });
  it("the bounds are where the tails cross 2.5 %", () => {
    for (const [k, p] of [[1, 0.01], [12, 0.003], [345, 2e-4]]) {
      const [lower, upper] = wordsInterval(k, p);
      expect(chanceOfAtLeast(k, lower, p)).toBeGreaterThanOrEqual(0.025);
      expect(chanceOfAtLeast(k, lower - 1, p)).toBeLessThan(0.025);
      expect(1 - chanceOfAtLeast(k + 1, upper, p)).toBeGreaterThanOrEqual(0.025);
      expect(1 - chanceOfAtLeast(k + 1, upper + 1, p)).toBeLessThan(0.025);
    }
  });
});

describe("other laws", () => {
  it("quantiles of the gamma law: Garwood's interval of 10 is 4.795 to 18.39", () => {
    expect(gammaQuantile(10, 0.025, true)).toBeCloseTo(4.795389, 5);
    expect(gammaQuantile(11, 0.025, false)).toBeCloseTo(18.390356, 5);
    expect(gammaQuantile(1, 0.025, false)).toBeCloseTo(-Math.log(0.025), 10);
    expect(gammaQuantile(1000, 0.025, true)).toBeCloseTo(938.97, 1);
  });
  it("objects: never fewer than were seen, wider than the value is sure", () => {
    const e = new Intervals(1e-3, 8).objects(5, 5, 1000, 200_000);
    expect(e[0]).toBe(1000);
    expect(e[1]).toBeGreaterThanOrEqual(5);
    expect(e[1]).toBeLessThan(1000);
    expect(e[2]).toBeGreaterThan(1000);
    expect(new Intervals(1e-3, 8).objects(0, 0, 0, 0)[2]).toBeCloseTo(1844.44, 1);
  });
  it("Clopper and Pearson's interval, of few and of thousands", () => {
    for (const [part, whole, lower, upper] of [
      [5, 10, 0.187086, 0.812914], [1777, 3360, 0.511823, 0.545865], [19999, 20000, 0.999721, 0.999999],
    ]) {
      const e = shareInterval(part, whole);
      expect(e[0]).toBe(part / whole);
      expect(e[1]).toBeCloseTo(lower, 6);
      expect(e[2]).toBeCloseTo(upper, 6);
    }
    expect(shareInterval(0, 0)).toEqual([0, 0, 0]);
  });
  it("differences: equal counts are chance, ten to one hardly", () => {
    expect(chanceOfDifference(10, 1, 10, 1)).toBe(1);
    expect(chanceOfDifference(0, 1, 0, 1)).toBe(1);
    // 2 P(Bin(11, 1/2) >= 10) = 24/2048
    expect(chanceOfDifference(10, 1, 1, 1)).toBeCloseTo(24 / 2048, 12);
  });
  it("faint is what reaches zero or is wider than itself", () => {
    expect(isFaint([40000, 1016, 222840])).toBe(true);
    expect(isFaint([0, 0, 147536])).toBe(true);
    expect(isFaint([1960000, 1450072, 2591160])).toBe(false);
  });
});
