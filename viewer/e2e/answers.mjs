// SPDX-License-Identifier: MIT
// The page's answers without a page, for tests in other languages (tests/viewer/page_answers.py). Each line of
// standard input is JSON, and answered by a line:
//   {"index": URL, "other": URL or null}    loads what `memprof serve` serves there: {"trace": ...}
//   {"route": "graph", "parameters": [[name, value], ...]}     {"answer": ...} or {"error", "parameter"}
import { createInterface } from "node:readline";
import { load, stopAll } from "./support.mjs";

const { Engine } = await load("/src/engine/engine.ts");
const { Index } = await load("/src/engine/index.ts");
const { forTransfer } = await load("/src/engine/flat_tree.ts");
const indexAt = async (url) => (url ? new Index(await (await fetch(url)).arrayBuffer()) : null);

let engine = null;
async function answer(question) {
  try {
    if ("index" in question) {
      engine = new Engine(await indexAt(question.index), await indexAt(question.other));
      return { trace: engine.trace };
    }
    // As the worker sends it: deep trees have no JSON.
    return { answer: forTransfer(question.route, engine.answer(question.route, question.parameters)) };
  } catch (e) {
    return { error: e.message, parameter: e.parameter ?? null };
  }
}
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
await stopAll();
