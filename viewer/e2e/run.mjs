// SPDX-License-Identifier: MIT
// npm run e2e [-- [--without] PART OF A TEST'S NAME]. $MEMPROF_TRACES: where the traces lie; $MEMPROF_COMMAND:
// the command to be tested (support.mjs says what is done without it).
import { existsSync } from "node:fs";
import { runAll } from "./harness.mjs";
import "./panels.mjs";
import "./filters.mjs";
import "./code.mjs";
import "./layout.mjs";
import "./fields.mjs";
import "./keyboard.mjs";
import "./investigations.mjs";
import "./offline.mjs";
import "./growing.mjs";
import "./program.mjs";
import "./accessibility.mjs";

if (!existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium")) {
  console.log("skipped: there is no Chromium");
  process.exit(77);
}
const without = process.argv[2] === "--without";
const part = process.argv[without ? 3 : 2] ?? "";
process.exit((await runAll((name) => name.includes(part) !== without)) === 0 ? 0 : 1);
