// SPDX-License-Identifier: MIT
import { expect, test } from "vitest";
import { extent } from "../src/widgets/chart";
import { clustersOf, ticksAt } from "../src/widgets/chart_marks";

test("ticks that would touch are one cluster, however long it gets", () => {
  expect(clustersOf([], 4)).toEqual([]);
  expect(clustersOf([10], 4)).toEqual([{ from: 10, to: 10, count: 1 }]);
  expect(clustersOf([10, 13, 16, 20, 23], 4)).toEqual([
    { from: 10, to: 16, count: 3 },
    { from: 20, to: 23, count: 2 },
  ]);
});
test("the readout counts the limits near a moment, by kind, the most frequent first", () => {
  const ticks = [
    { x: 1, kind: "token" },
    { x: 1.1, kind: "memory" },
    { x: 1.2, kind: "memory" },
    { x: 5, kind: "deadline" },
  ];
  expect(ticksAt(ticks, 3, 1)).toBe("");
  expect(ticksAt(ticks, 5.5, 0.5)).toBe("1 limit hit here: 1 deadline");
  expect(ticksAt(ticks, 1.1, 0.5)).toBe("3 limits hit here: 2 memory, 1 token");
});
test("an axis of one moment ends where the run does, not at 100", () => {
  expect(extent(1, 4, 9)).toEqual([1, 4]);
  expect(extent(0, 0, 0.002)).toEqual([0, 0.002]);
  expect(extent(0, 0)).toEqual([0, 1]);
});
