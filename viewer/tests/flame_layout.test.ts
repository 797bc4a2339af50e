// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { Around, Diff, Graph, GraphNode, PackedAmount, Suspects, Table } from "../src/api";
import { Engine } from "../src/engine/engine";
import { layout, matched, neighbour } from "../src/panels/flame_layout";
import { weightOf } from "../src/panels/diff_graph";
import { index, names } from "./support/traces";

const amount = (n: number): PackedAmount => [n, n, n * 8, n * 4, n * 16, n, n, n];
const leaf = (name: string, n: number): GraphNode => [name, 0, amount(n), amount(n), [], null];
const tree: GraphNode = [
  "(all)", 0, amount(0), amount(10),
  [
    ["b", 0, amount(1), amount(3), [leaf("a", 2)], null],
    ["a", 0, amount(0), amount(6), [leaf("c", 4), leaf("a", 1)], [3, amount(1)]],
  ],
  [2, amount(1)],
];
const options = { unit: "bytes" as const, wordBytes: 8, byName: false, narrowest: 0 };

describe("boxes", () => {
  const boxes = layout(tree, options);
  const find = (...path: string[]) => boxes.findIndex((b) => b.path.join("/") === path.join("/"));
  it("stand left heavy, children within their parents", () => {
    expect(boxes[find("a")]).toMatchObject({ x: 0, width: 0.6, depth: 1 });
    expect(boxes[find("b")].x).toBeCloseTo(0.6);
    for (const b of boxes.slice(1)) {
      const p = boxes[b.parent];
      expect(b.x).toBeGreaterThanOrEqual(p.x - 1e-12);
      expect(b.x + b.width).toBeLessThanOrEqual(p.x + p.width + 1e-12);
    }
    expect(boxes.filter((b) => b.hidden).map((b) => b.node[0])).toEqual(["2 small, hidden", "3 small, hidden"]);
  });
  it("stand by name if asked, and leave out what is too narrow", () => {
    const sorted = layout(tree, { ...options, byName: true, narrowest: 0.15 });
    expect(sorted.map((b) => b.node[0])).toEqual(["(all)", "a", "b", "c", "a"]);
  });
  it("are reached by keys", () => {
    expect(neighbour(boxes, 0, "ArrowDown", true)).toBe(find("a"));
    expect(neighbour(boxes, 0, "k", false)).toBe(find("a"));
    expect(neighbour(boxes, find("a", "c"), "ArrowUp", true)).toBe(find("a"));
    expect(neighbour(boxes, find("a"), "l", true)).toBe(find("b"));
    expect(neighbour(boxes, find("b"), "ArrowLeft", true)).toBe(find("a"));
    // Over the edge of a parent.
    expect(boxes[neighbour(boxes, find("b", "a"), "h", true)].node[0]).toBe("3 small, hidden");
    expect(neighbour(boxes, find("a", "c"), "j", true)).toBe(-1);
  });
  it("that match a search are counted once, inner ones of their kind not again", () => {
    const found = matched(tree, (n) => n === "a", (a) => a[0]);
    expect(found.amount).toBe(8);
    expect([...found.functions]).toEqual(["a"]);
  });
});

describe.each(names.filter((n) => n !== "many_packets" && !n.startsWith("ocamlopt")))("trees of %s", (name) => {
  const loaded = index(name);
  const engine = new Engine(loaded);
  const ask = (route: "graph" | "table" | "around" | "diff" | "suspects", ...p: [string, string][]) =>
    engine.answer(route, p) as unknown;
  const sums = (node: GraphNode): number =>
    node[2][0] + node[4].reduce((s, c) => s + c[3][0], 0) + (node[5]?.[1][0] ?? 0);
  it("add up at every node, in every direction and for every value", () => {
    for (const from of ["main", "sites"]) {
      for (const value of ["allocated", "in_use", "peak"]) {
        for (const recursion of ["fold", "keep"]) {
          const graph = ask("graph", ["from", from], ["value", value], ["recursion", recursion]) as Graph;
          expect((graph.total as PackedAmount)[0]).toBe(graph.root[3][0]);
          const open = [graph.root];
          let count = 0;
          for (let n = open.pop(); n !== undefined; n = open.pop()) {
            ++count;
            expect(sums(n)).toBe(n[3][0]);
            open.push(...n[4]);
          }
          expect(count).toBeLessThanOrEqual(4001);
        }
      }
    }
  });
  it("sandwiches hold what the table says", () => {
    const table = ask("table", ["sort", "total"]) as Table;
    for (const [f, , total] of table.rows.slice(0, 12)) {
      if (/^0x/.test(f)) continue;
      const a = ask("around", ["function", f]) as Around;
      expect([f, a.callers[3][0], a.callees[3][0]]).toEqual([f, total[0][0], total[0][0]]);
    }
  });
  it("comparing something with itself finds nothing", () => {
    const d = ask("diff", ["compare", "paths"]) as Diff;
    expect(d.rows.every((r) => r[1] === r[2] && r[5] === 0)).toBe(true);
    expect(weightOf(d.graph!).get(d.graph!)).toBe(0);
    const suspects = ask("suspects") as Suspects;
    expect(suspects.leaks.length + suspects.queues.length + suspects.caches.length).toBeLessThan(61);
  });
});
