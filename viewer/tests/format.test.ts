// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import type { Trace } from "../src/api";
import { csv, fileBase } from "../src/download";
import { parseTime } from "../src/engine/amount_syntax";
import { bytesText, countText, durationText } from "../src/engine/amount_text";
import { binOf, lowerEdge, scatterHash } from "../src/engine/lifetimes";
import { bytes, count, duration, inUnit, percent, plusMinus, quantity, rate, timeValue } from "../src/format";
import { tick } from "../src/widgets/chart";

it("amounts have three digits and the unit that fits", () => {
  expect([0, 1, 1023, 1024, 40000, 1048575, 17320000, 2 ** 50].map(bytes)).toEqual([
    "0 B", "1 B", "1023 B", "1.00 KiB", "39.1 KiB", "1.00 MiB", "16.5 MiB", "1.00 PiB",
  ]);
  expect([0, 12, 999, 1000, 999_950, 2.5e6].map(count)).toEqual(["0", "12", "999", "1.00 k", "1.00 M", "2.50 M"]);
  expect([0, 0.00005, 0.001, 0.0232, 0.5, 1].map(percent)).toEqual([
    "0 %", "< 0.01 %", "0.10 %", "2.32 %", "50.0 %", "100 %",
  ]);
  expect([0, 12, 1500, 2_500_000, 180e6, 7200e6].map(duration)).toEqual([
    "0", "12 µs", "1.50 ms", "2.50 s", "3.00 min", "2.00 h",
  ]);
  expect([1, 0.5, 0.01, 1e-4, 2.5e-6, 1e-3 / 3].map(rate)).toEqual(["1", "0.5", "0.01", "1e-4", "2.5e-6", "3.33333e-4"]);
  expect(quantity(2.5e6, "words")).toBe("2.50 Mw");
  expect(plusMinus([100, 88, 112])).toBe("± 12 %");
  expect(plusMinus([100, 95, 112.3])).toBe("± 13 %"); // the wider side, rounded up
  expect(plusMinus([100, 96.54, 103])).toBe("± 3.5 %");
  expect(plusMinus([5, 5, 5])).toBe("");
  expect(inUnit([3, 2, 80, 40, 120, 7, 5, 9], "words", 8)).toEqual([10, 5, 15]);
  expect(inUnit([3, 2, 80, 40, 120, 7, 5, 9], "objects", 8)).toEqual([7, 5, 9]);
});
it("the sentences' words are the server's", () => {
  expect([12, 1023.6, 17320000].map(bytesText)).toEqual(["12 B", "1.00 KiB", "16.5 MiB"]);
  expect([7, 1234, 1234567].map(countText)).toEqual(["7", "1,234", "1,234,567"]);
  expect([12.9, 1500, 7_756_490, 150e6].map(durationText)).toEqual(["12 us", "1.50 ms", "7.76 s", "2 min 30 s"]);
});
it("times that are written are read back to the microsecond", () => {
  for (const us of [0, 1, 999, 1000, 1500, 123_456, 1_000_000, 8_063_930, 3_700_012_049]) {
    expect(parseTime("x", timeValue(us))).toBe(us);
  }
});
it("bins hold their lower edges", () => {
  for (const x of [0, 1, 15, 16, 17, 18, 31, 32, 1000, 2 ** 40, 2 ** 52 - 1]) {
    const b = binOf(x);
    expect(lowerEdge(b)).toBeLessThanOrEqual(x);
    expect(lowerEdge(b + 1)).toBeGreaterThan(x);
  }
});
it("the hash is MurmurHash3's last step", () => {
  expect([0, 1, 2].map(scatterHash)).toEqual([0, 0x514e28b7, 0x30f4c306]);
});
it("tables keep hostile names harmless", () => {
  expect(csv(["a", "b"], [['x,"y"', 1], ["=cmd()", 2]])).toBe('a,b\r\n"x,""y""",1\r\n\'=cmd(),2\r\n');
  expect(fileBase({ executable: "/usr/bin/../e vil<script>.exe" } as Trace)).toBe("e_vil_script_.exe");
});
it("axes have what differs", () => {
  expect(["1.00 s", "1.50 s", "500 ms", "16.0 MiB"].map(tick)).toEqual(["1 s", "1.5 s", "500 ms", "16 MiB"]);
});
