// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { forTransfer, fromTransfer } from "../src/engine/flat_tree";

it("gives trees back as they were", () => {
  const leaf = (name: string) => [name, 0, [], [], [], null];
  const root = ["a", 0, [], [], [["b", 0, [], [], [leaf("c"), leaf("d")], null], leaf("e"), ["f", 0, [], [], [leaf("g")], null]], null];
  const graph = { value: "peak", root };
  expect(fromTransfer("graph", structuredClone(forTransfer("graph", graph)))).toEqual(graph);
  const diff = { rows: [["x", 1]], graph: null };
  expect(fromTransfer("diff", forTransfer("diff", diff))).toEqual(diff);
  expect(fromTransfer("table", forTransfer("table", 7))).toBe(7);
});

it("can take 70000 levels to a worker", () => {
  let root: unknown[] = ["leaf", 0, [], [], [], null];
  for (let i = 0; i < 70_000; ++i) root = [`f${i}`, 0, [], [], [root], null];
  const { callers } = fromTransfer("around", structuredClone(forTransfer("around", { callers: root, callees: root }))) as {
    callers: unknown[];
  };
  let depth = 0;
  for (let node = callers; node !== undefined; node = (node[4] as unknown[][])[0]) ++depth;
  expect(depth).toBe(70_001);
});
