// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { pieces } from "../src/panels/source_pieces";

const file = (n: number, from = 1): [number, string[]] => [from, Array.from({ length: n }, (_, k) => `line ${from + k}`)];
const told = (list: ReturnType<typeof pieces>) => list.map((p) => (p.gap > 0 ? `${p.line}+${p.gap}${p.known ? "" : "?"}` : p.line));

it("shows lines with an amount and some around, and what can be opened", () => {
  const shown = told(pieces([file(100)], [10, 50], 0, new Set()));
  expect(shown.slice(0, 3)).toEqual([1, 2, 3]); // one line is no gap
  expect(shown).toContain("19+23");
  expect(shown).toContain("59+42");
  expect(shown).toHaveLength(18 + 17 + 2);
  expect(told(pieces([file(100)], [10, 50], 0, new Set([19])))).toContain(30);
  expect(told(pieces([file(30)], [], 15, new Set()))).toEqual(["1+6", ...Array.from({ length: 17 }, (_, k) => k + 7), "24+7"]);
});
it("says which lines are not there", () => {
  expect(told(pieces([file(3, 5), file(2, 20)], [6, 20], 0, new Set()))).toEqual(["1+4?", 5, 6, 7, "8+12?", 20, 21]);
});
it("has the numbers alone where there is no text", () => {
  expect(pieces([], [9, 4], 4, new Set()).map((p) => [p.line, p.text])).toEqual([[4, null], [9, null]]);
});
