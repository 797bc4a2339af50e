// SPDX-License-Identifier: MIT
// Which lines, which shared objects, whose code: on stacks made here.
import { expect, it } from "vitest";
import { flag, type Graph, kindIn, type Lines, type Parameters, type SourceLines, type Table, type Trace } from "../src/api";
import { Engine } from "../src/engine/engine";
import { type Head, Index } from "../src/engine/index";
import type { Frame } from "../src/engine/tables";
import { packIndex } from "./support/pack";

const functions = ["main", "work", "malloc", "std::vector<int>::push_back", "g_alloc", "libssl.so.3+0x1234@0123456789abcdef", "plug"];
const files = ["/src/main.cpp", "/src/work.cpp", "/usr/lib/libc.so.6", "/usr/include/c++/12/bits/stl_vector.h", "/usr/lib/libglib-2.0.so.0"];
const modules = ["/srv/app", "/usr/lib/libc.so.6", "/usr/lib/libglib-2.0.so.0", "/usr/lib/libssl.so.3", "/srv/plugin.so"];
const frames: Frame[] = [
  [0, 0, 10, 0, 0, 0, 0], // main:10
  [0, 0, 20, 0, 0, 0, 0], // main:20
  [1, 1, 5, 0, 0, 0, 0], // work:5
  [1, 1, 7, 0, 0, 0, 0], // work:7
  [2, 2, 0, 0, 0, flag.allocates, 1], // malloc
  [3, 3, 1287, 0, 0, flag.library | flag.inlined, 0], // push_back
  [4, 4, 0, 0, 0, 0, 2], // g_alloc
  [5, 4, 0, 0, 0, 0, 3], // code without symbol
  [6, 1, 3, 0, 0, 0, 4], // a plugin
];
/** Stacks as frames, outermost first; a block of one sample each, and never freed. */
function engineOf(stacks: number[][], domains: number[] = stacks.map(() => 0), thread_names: string[] = []): Engine {
  const parent = [0];
  const frame = [0];
  const nodes = new Map<string, number>();
  const stack = stacks.map((path) =>
    path.reduce((at, f) => {
      const key = `${at}/${f}`;
      if (!nodes.has(key)) {
        nodes.set(key, parent.length);
        parent.push(at);
        frame.push(f);
      }
      return nodes.get(key)!;
    }, 0),
  );
  const columns: Record<string, number[]> = {
    parent, frame, stack,
    length: stacks.map(() => 9), samples: stacks.map(() => 1), first: stacks.map(() => 1),
    second: stacks.map(() => 1), where: domains.map((d) => 4 * d), between: domains.map(() => 0),
    change: stacks.map((_, i) => i * 4), time: stacks.map((_, i) => i),
  };
  const trace = { sample_rate: 1, word_bytes: 8, duration_us: 100, executable: "/srv/app", domains: [...new Set(domains)], thread_names } as unknown as Trace;
  const head: Head = {
    trace, functions, files, modules, frames,
    columns: Object.entries(columns).map(([name, values]) => [name, "u32", values.length]),
  };
  return new Engine(new Index(packIndex(head, new Map(Object.entries(columns)))));
}
const engine = engineOf([
  [0, 2, 4], // main:10 work:5 malloc
  [0, 2, 4],
  [1, 3, 5, 4], // main:20 work:7 push_back malloc
  [0, 3, 6, 4], // main:10 work:7 g_alloc malloc
  [0, 2, 0, 3, 4], // main:10 work:5 main:10 work:7 malloc: recursion
  [1, 7], // main:20 code without symbol
]);
const lines = (...p: Parameters) =>
  (engine.answer("lines", p) as Lines).rows.map(([file, line, self, total]) => [file, line, self[0], total[0]]);

it("counts a function's lines by its outermost call, so that they add up", () => {
  expect(lines(["function", "work"])).toEqual([
    ["/src/work.cpp", 5, 2, 3],
    ["/src/work.cpp", 7, 2, 2],
  ]);
  expect(lines(["function", "main"])).toEqual([
    ["/src/main.cpp", 10, 0, 4],
    ["/src/main.cpp", 20, 0, 2],
  ]);
});
it("counts the lines of one box of the graph, in both directions", () => {
  expect(lines(["zoom", "main"], ["zoom", "work"])).toEqual([
    ["/src/work.cpp", 5, 0, 3],
    ["/src/work.cpp", 7, 0, 2],
  ]);
  // From sites: the callers of `work` where it allocates itself.
  expect(lines(["from", "sites"], ["zoom", "work"], ["zoom", "main"])).toEqual([
    ["/src/main.cpp", 10, 3, 3],
    ["/src/main.cpp", 20, 1, 1],
  ]);
  expect(lines(["zoom", "main"], ["zoom", "nobody"])).toEqual([]);
});
it("knows the lines of a file, each block once in a line", () => {
  const source = (path: string) =>
    (engine.answer("source", [["path", path]]) as SourceLines).rows.map(([line, self, total, of]) => [line, self[0], total[0], of]);
  expect(source("/src/work.cpp")).toEqual([
    [5, 2, 3, ["work"]],
    [7, 2, 3, ["work"]],
  ]);
  expect(source("/nowhere.cpp")).toEqual([]);
});
it("groups by shared object and by line, in the table and in the graph", () => {
  const rows = (by: string) =>
    (engine.answer("table", [["by", by], ["sort", "total"]]) as Table).rows.map(([name, self, total]) => [name, self[0][0], total[0][0]]);
  expect(rows("object")).toEqual([["app", 4, 6], ["libglib-2.0.so.0", 1, 1], ["libssl.so.3", 1, 1]]);
  expect(rows("line").slice(0, 2)).toEqual([["/src/main.cpp:10", 0, 4], ["/src/work.cpp:5", 2, 3]]);
  const graph = engine.answer("graph", [["boxes", "object"], ["recursion", "keep"]]) as Graph;
  const [app] = graph.root[4];
  expect([app[0], kindIn(app[1]), app[3][0]]).toEqual(["app", "own", 6]);
  expect(app[4].map((c) => [c[0], kindIn(c[1]), c[3][0]])).toEqual([
    ["libc.so.6", "c", 4], ["libglib-2.0.so.0", "other", 1], ["libssl.so.3", "other", 1],
  ]);
});
it("knows whose code a frame is", () => {
  const found = new Map<string, string>();
  const open = [(engineOf(frames.map((_, k) => [k])).answer("graph", []) as Graph).root];
  for (let n = open.pop(); n !== undefined; n = open.pop()) {
    found.set(n[0], kindIn(n[1]));
    open.push(...n[4]);
  }
  found.delete("(all)");
  expect([...found].sort()).toEqual([
    ["g_alloc", "other"], ["libssl.so.3+0x1234@0123456789abcdef", "unknown"], ["main", "own"],
    ["malloc", "c"], ["plug", "own"], ["std::vector<int>::push_back", "library"], ["work", "own"],
  ]);
});
it("names no place that the trace does not know", () => {
  const rows = (engineOf([[6, 4], [2, 4]]).answer("table", [["by", "site"]]) as Table).rows.map((r) => r[0]);
  expect(rows.sort()).toEqual(["g_alloc", "work /src/work.cpp:5"]);
});
it("tells threads apart by name, and chooses their blocks", () => {
  const two = engineOf([[0, 2], [1, 3], [0, 2]], [5, 3, 5], ["worker 17", "main"]);
  const top = (...p: Parameters) => (two.answer("graph", [["split", "domain"], ...p]) as Graph).root[4].map((c) => [c[0], c[3][0]]);
  expect(top()).toEqual([["worker 17", 2], ["main", 1]]);
  expect(top(["thread", "work"])).toEqual([["worker 17", 2]]);
  expect(top(["thread", "=main"])).toEqual([["main", 1]]);
  expect(top(["thread", "=main"], ["thread", "17"])).toEqual([["worker 17", 2], ["main", 1]]);
  expect(top(["thread", "other"])).toEqual([]);
  const rows = (two.answer("table", [["by", "domain"]]) as Table).rows.map(([name, self]) => [name, self[0][0]]);
  expect(rows).toEqual([["worker 17", 2], ["main", 1]]);
});
it("tells domains apart: the graph in both directions, the table, over time, and the lines of a box", () => {
  const two = engineOf([[0, 2, 4], [0, 2, 4], [1, 3, 4]], [3, 5, 5]);
  const top = (...p: Parameters) => (two.answer("graph", [["split", "domain"], ...p]) as Graph).root[4].map((c) => [c[0], c[3][0], c[4].map((d) => d[0])]);
  expect(top()).toEqual([["domain 5", 2, ["main"]], ["domain 3", 1, ["main"]]]);
  expect(top(["from", "sites"])).toEqual([["domain 5", 2, ["work"]], ["domain 3", 1, ["work"]]]);
  expect(top(["function", "domain"])).toEqual([]);
  const rows = (two.answer("table", [["by", "domain"]]) as Table).rows.map(([name, self, total]) => [name, self[0][0], total[0][0]]);
  expect(rows).toEqual([["domain 5", 2, 2], ["domain 3", 1, 1]]);
  const stacked = two.answer("stacked", [["by", "domain"]]) as { rows: { name: string | null; samples: number[] }[] };
  expect(stacked.rows.map((r) => [r.name, r.samples.at(-1)])).toEqual([["domain 5", 2], ["domain 3", 1], [null, 0]]);
  const { rows: [line] } = two.answer("lines", [["split", "domain"], ["zoom", "domain 3"], ["zoom", "main"]]) as Lines;
  expect([line[1], line[3][0]]).toEqual([10, 1]);
  expect(() => two.answer("diff", [["by", "domain"]])).toThrow("by: ");
});
