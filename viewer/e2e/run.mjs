// SPDX-License-Identifier: MIT
// npm run e2e [-- [--only FILES | --without FILES] [PART OF A TEST'S NAME]]: the tests of all files beside this
// one that have some, or of those whose names follow, as in panels,fields. $MEMPROF_TRACES: where the traces lie;
// $MEMPROF_COMMAND: the command to be tested (support.mjs says what is done without it).
import { existsSync } from "node:fs";
import { runAll } from "./harness.mjs";

const files = [
  "panels",
  "filters",
  "code",
  "layout",
  "fields",
  "keyboard",
  "investigations",
  "offline",
  "growing",
  "program",
  "accessibility",
];

if (!existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium")) {
  console.log("skipped: there is no Chromium");
  process.exit(77);
}
const words = process.argv.slice(2);
const choice = words[0]?.startsWith("--") ? words.shift() : "";
const named = choice === "" ? [] : (words.shift() ?? "").split(",");
const unknown = named.filter((name) => !files.includes(name));
if (!["", "--only", "--without"].includes(choice) || unknown.length > 0) {
  console.log(`not known: ${unknown.join(", ") || choice}; the files are ${files.join(", ")}`);
  process.exit(2);
}
const part = words[0] ?? "";
for (const file of files) {
  if (choice === "" || named.includes(file) === (choice === "--only")) await import(`./${file}.mjs`);
}
process.exit((await runAll((name) => name.includes(part))) === 0 ? 0 : 1);
