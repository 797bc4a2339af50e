// SPDX-License-Identifier: MIT
// Traces made here, of programs whose faults are known.
import { expect, it } from "vitest";
import type { Parameters, Suspects, Trace } from "../src/api";
import { Engine } from "../src/engine/engine";
import { type Head, Index } from "../src/engine/index";
import type { Frame } from "../src/engine/tables";
import { packIndex } from "./support/pack";

/** A block of one sample; gone < 0: never. */
interface Life {
  site: number;
  born: number;
  gone: number;
}
const end = 1_000_000;
const functions = ["Main.run", "Zero.f", "One.f", "Two.f", "Three.f"];
const [zero, one, two, three] = [1, 2, 3, 4];

function engineOf(lives: Life[], exit?: number): Engine {
  // The index has its blocks in the order of their births.
  lives = lives.toSorted((a, b) => a.born - b.born);
  const events = lives.flatMap(({ born, gone }, i) => [
    { time: born, change: i * 4 },
    ...(gone >= 0 ? [{ time: gone, change: i * 4 + 2 }] : []),
  ]);
  // Births before deaths of the same time.
  events.sort((a, b) => a.time - b.time || (a.change & 3) - (b.change & 3));
  const columns: Record<string, number[]> = {
    parent: [0, 0, 1, 1, 1, 1],
    frame: [0, 0, 1, 2, 3, 4],
    length: lives.map(() => 9),
    samples: lives.map(() => 1),
    first: lives.map((_, k) => k % 2),
    second: lives.map((_, k) => 1 - (k % 2)),
    stack: lives.map(({ site }) => site + 1),
    where: lives.map(() => 0), between: lives.map(() => 0),
    change: events.map(({ change }) => change),
    time: events.map(({ time }) => time),
  };
  const trace = { sample_rate: 1e-4, word_bytes: 8, duration_us: Math.max(...columns.time),
    ...(exit === undefined ? {} : { notes: { exit_began: String(exit) } }) } as unknown as Trace;
  const head: Head = {
    trace, functions, files: ["m.ml"],
    frames: functions.map((_, k): Frame => [k, 0, k, 0, 1, 0]),
    columns: Object.entries(columns).map(([name, values]) => [name, "u32", values.length]),
  };
  return new Engine(new Index(packIndex(head, new Map(Object.entries(columns)))));
}
const suspectsOf = (lives: Life[]) => engineOf(lives).answer("suspects", []) as Suspects;
const count = (s: Suspects) => s.leaks.length + s.queues.length + s.caches.length;

/** The same numbers each time (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
/** Blocks that live for about a thousandth of the trace, all along: of no interest. */
function garbage(site: number, random: (below: number) => number): Life[] {
  return Array.from({ length: 2000 }, () => {
    const born = random(end);
    const gone = born + random(2000);
    return { site, born, gone: gone <= end ? gone : -1 };
  });
}
const many = (n: number, make: (i: number) => Life) => Array.from({ length: n }, (_, i) => make(i));

it("finds a leak that static objects free when the process ends", () => {
  // 100 blocks, freed at the very end; and one that comes only then.
  const lives = [
    ...many(100, (i) => ({ site: one, born: i * 10_000, gone: end + 10 + i })),
    { site: two, born: end + 5, gone: -1 },
  ];
  expect(count(suspectsOf(lives))).toBe(0);
  const engine = engineOf(lives, end);
  const s = engine.answer("suspects", []) as Suspects;
  expect(s.leaks.map((l) => [l.function, l.amount.blocks])).toEqual([["One.f", 100]]);
  expect(s.leaks[0].evidence[1]).toContain("25, 25, 25 and 25");
  const blocks = (p: Parameters) => (engine.answer("table", p) as { rows: [string, number[][]][] }).rows
    .map(([name, sums]) => [name, sums[0][1], sums[1][1]]);
  // Allocated, and in use at the end.
  const atEnd = blocks([["by", "function"], ["live-at-end", "1"]]);
  expect(atEnd).toContainEqual(["One.f", 100, 100]);
  expect(atEnd.map(([name]) => name)).not.toContain("Two.f");
  expect(blocks([["by", "function"], ["never-collected", "1"]])).toContainEqual(["Two.f", 1, 0]);
});

it("takes steady growth for a leak, and garbage for nothing", () => {
  const engine = engineOf([...garbage(zero, randomOf(1)), ...many(100, (i) => ({ site: one, born: i * 10_000, gone: -1 }))]);
  const s = engine.answer("suspects", []) as Suspects;
  expect(count(s)).toBe(1);
  const [leak] = s.leaks;
  expect([leak.function, leak.amount.blocks]).toEqual(["One.f", 100]);
  // 100 samples of 80 KB, lower end of the interval.
  expect(leak.score / (81.364 * 80e3)).toBeCloseTo(1, 3);
  expect(leak.evidence[1]).toContain("25, 25, 25 and 25");
  expect(leak.evidence[4]).toBe("100.0 % of it by way of Main.run.");
  expect(leak.place).toEqual(["m.ml", 2, 0]);
  expect(leak.selection).toEqual({ function: ["=One.f"], "live-at-end": ["1"] });
  expect(leak.sparkline.samples.at(-1)).toBe(100);
  const chosen = Object.entries(leak.selection).flatMap(([n, v]): Parameters => [v].flat().map((x) => [n, x]));
  expect((engine.answer("histograms", chosen) as { sizes: { samples: number }[] }).sizes[0].samples).toBe(100);
});
it("says when growth began and ended, where it was not all along", () => {
  const [leak] = suspectsOf([...garbage(zero, randomOf(6)), ...many(100, (i) => ({ site: one, born: 260_000 + i * 4_800, gone: -1 }))]).leaks;
  expect(leak.evidence[1]).toBe(
    "It grew from 260 ms on until 735 ms, and then no more for 263 ms: of these blocks 0, 50, 50 and 0 were born in the four quarters of the trace.",
  );
});
it("finds a queue that balloons and drains", () => {
  // Until half of the time twice as much comes as goes; then nothing comes.
  const s = suspectsOf([...garbage(zero, randomOf(2)), ...many(500, (i) => ({ site: two, born: i * 1000, gone: i * 2000 + 1 }))]);
  expect(count(s)).toBe(1);
  expect(s.queues[0].function).toBe("Two.f");
  // Each half of the samples is counted where the other has most: a few events from the top.
  expect(Math.abs(s.queues[0].amount.blocks - 250)).toBeLessThanOrEqual(4);
});
it("takes what is filled once and stays for a cache", () => {
  const s = suspectsOf([...garbage(zero, randomOf(3)), ...many(60, (i) => ({ site: three, born: i * 2000, gone: -1 }))]);
  expect(count(s)).toBe(1);
  expect(s.caches[0].function).toBe("Three.f");
});
it("suspects neither few samples nor steady turnover", () => {
  // A ring of 100: each lives until the hundredth after it.
  const ring = many(1000, (i) => ({ site: two, born: i * 1000, gone: i + 100 < 1000 ? (i + 100) * 1000 : -1 }));
  const few = many(19, (i) => ({ site: one, born: i * 50_000, gone: -1 }));
  expect(count(suspectsOf([...garbage(zero, randomOf(4)), ...few, ...ring]))).toBe(0);
});
it("hardly ever suspects sites whose lifetimes are drawn at random", () => {
  // 300 sites' worth: at a chance of 3e-7 for each none is named.
  const random = randomOf(5);
  let named = 0;
  for (let run = 0; run < 300; ++run) {
    const s = suspectsOf(many(200, () => {
      const born = random(end);
      const gone = born + random(end / 4);
      return { site: one, born, gone: gone <= end ? gone : -1 };
    }));
    named += s.queues.length + s.leaks.length;
  }
  expect(named).toBe(0);
});
