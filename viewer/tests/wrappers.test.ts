// SPDX-License-Identifier: MIT
// Functions that only pass memory on, in a program made here.
import { expect, it } from "vitest";
import { type Trace, type Wrappers } from "../src/api";
import { Engine } from "../src/engine/engine";
import { type Head, Index } from "../src/engine/index";
import type { Frame } from "../src/engine/tables";
import { packIndex } from "./support/pack";

/** Stacks as "main work:3 xmalloc", a sample each; lines after colons. */
function wrappersOf(stacks: string[]): Wrappers {
  const names: string[] = [];
  const frames: Frame[] = [];
  const frameIds = new Map<string, number>();
  const nodes = new Map<string, number>();
  const [parent, frame] = [[0], [0]];
  const frameOf = (text: string) => {
    if (!frameIds.has(text)) {
      const [name, line = "0"] = text.split(":");
      if (!names.includes(name)) names.push(name);
      frameIds.set(text, frames.length);
      frames.push([names.indexOf(name), 0, Number(line), 0, 0, name === "malloc" ? 4 : 0]);
    }
    return frameIds.get(text)!;
  };
  const stack = stacks.map((s) =>
    s.split(" ").reduce((at, text) => {
      const key = `${at}/${text}`;
      if (!nodes.has(key)) {
        nodes.set(key, parent.length);
        parent.push(at);
        frame.push(frameOf(text));
      }
      return nodes.get(key)!;
    }, 0),
  );
  const columns: Record<string, number[]> = {
    parent, frame, stack,
    length: stacks.map(() => 9), samples: stacks.map(() => 1), first: stacks.map((_, k) => k % 2),
    second: stacks.map((_, k) => 1 - (k % 2)), where: stacks.map(() => 0), between: stacks.map(() => 0),
    change: stacks.map((_, i) => i * 4), time: stacks.map((_, i) => i),
  };
  const trace = { sample_rate: 1e-3, word_bytes: 8, duration_us: 1000, executable: "/x" } as unknown as Trace;
  const head: Head = {
    trace, functions: names, files: ["a.c"], frames,
    columns: Object.entries(columns).map(([name, values]) => [name, "u32", values.length]),
  };
  return new Engine(new Index(packIndex(head, new Map(Object.entries(columns))))).answer("wrappers", []) as Wrappers;
}
const times = (n: number, ...stacks: string[]) => Array.from({ length: n }, () => stacks).flat();
const callers = ["a", "b", "c", "d", "e"];

it("finds a wrapper, and the wrapper of a wrapper", () => {
  const found = wrappersOf([
    ...times(10, ...callers.map((c) => `main ${c} new_string:7 xmalloc:3 malloc`)),
    ...times(10, ...callers.map((c) => `main ${c}:9 xmalloc:3 malloc`)),
  ]);
  expect(found.functions).toEqual(["xmalloc", "new_string"]);
  expect(found.share).toBe(1);
});
it("takes none for one that has few callers, allocates in several lines, or does more", () => {
  expect(wrappersOf(times(20, "main a f:1 malloc", "main b f:1 malloc", "main c f:1 malloc")).functions).toEqual([]);
  expect(wrappersOf(times(10, ...callers.flatMap((c, k) => [`main ${c} f:${k % 2} malloc`]))).functions).toEqual([]);
  expect(wrappersOf(times(10, ...callers.flatMap((c) => [`main ${c} f:1 malloc`, `main ${c} f:2 g malloc`]))).functions).not.toContain("f");
  // Nearly all of it for one caller: that one is what matters, and it is seen.
  expect(wrappersOf([...times(90, "main a f:1 malloc"), ...times(2, ...callers.map((c) => `main ${c} f:1 malloc`))]).functions).toEqual([]);
  expect(wrappersOf(callers.map((c) => `main ${c} f:1 malloc`)).functions).toEqual([]); // five samples say little
});
