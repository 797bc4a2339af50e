// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { exitOf, residentAt, residentOf, threadsOf, type Trace } from "../src/api";

const trace = (notes?: Record<string, string>) => ({ notes }) as unknown as Trace;

it("reads memory over time", () => {
  const series = residentOf(trace({ resident: "250000 100 - 300" }))!;
  expect(series).toEqual({ step_us: 250000, bytes: [102400, null, 307200] });
  expect(residentAt(series, 0, 1)).toBe(102400);
  expect(residentAt(series, 249999, 8)).toBe(12800);
  expect(residentAt(series, 250000, 1)).toBeNull();
  // The last look was before the end.
  expect(residentAt(series, 9e9, 1)).toBe(307200);
  expect(residentOf(trace())).toBeNull();
  for (const none of ["", "250000 7", "x 1 2"]) {
    expect(residentOf(trace({ resident: none }))).toBeNull();
  }
});

it("reads names of threads, and when exit began", () => {
  expect([...threadsOf(trace({ threads: "7 main\n12 a worker" }))]).toEqual([[7, "main"], [12, "a worker"]]);
  expect(threadsOf(trace()).size).toBe(0);
  expect(exitOf(trace({ exit_began: "2003" }))).toBe(2003);
  expect(exitOf(trace())).toBeNull();
  for (const none of ["", "x"]) expect(exitOf(trace({ exit_began: none }))).toBeNull();
});
