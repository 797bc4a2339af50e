// SPDX-License-Identifier: MIT
// The engine in the page against the server: the same answers, number by number, for every route and
// many selections. The engine gets the index that `memprof serve --html` writes. Needs
// $MEMPROF_COMMAND, a command with `serve`.
import { readFileSync } from "node:fs";
import { load, offlineFile, recorded, serve, stopAll } from "./support.mjs";

const selections = [
  "", "live-at-end=1", "live-at-peak=1", "allocated-after=1s&allocated-before=3s", "live-after=2s&live-before=4s",
  "collected-before=2s", "lifetime-min=10ms", "lifetime-max=1ms", "size-min=64B", "size-max=32B", "heap=minor",
  "heap=major", "not-heap=minor", "live-at=1500ms", "never-collected=1", "function=a", "not-function=/[aeiou]$/",
  "file=.ml", "not-file=list.ml", "domain=0", "hide=Stdlib", "heap=minor&lifetime-min=1ms&hide=make", "function=nobody",
];
const routes = [
  "graph?value=allocated", "graph?value=in_use&from=sites", "graph?value=peak&recursion=keep", "graph?inlined=0&least=0.02",
  "table?by=function", "table?by=site&value=peak&sort=total", "table?by=module&limit=5", "table?by=file&value=in_use",
  "series?points=200", "series", "stacked?by=function", "stacked?by=module&n=3&points=50", "histograms", "scatter?points=500",
  "survival", "promotion", "ages", "ages?bands=3&points=40", "suspects", "folded?value=peak&unit=bytes", "folded",
  "diff?compare=self&base.allocated-before=1s", "diff?compare=paths&base.live-at-peak=1", "diff?compare=total&by=module&normalize=total",
];

/** Where two answers differ; numbers may by the last digits. */
function difference(a, b, at = "") {
  if (typeof a === "number" && typeof b === "number") {
    return a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1e-6) ? null : `${at}: ${a} and ${b}`;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return a === b ? null : `${at}: ${JSON.stringify(a)?.slice(0, 200)} and ${JSON.stringify(b)?.slice(0, 200)}`;
  }
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  for (const k of keys) {
    const d = difference(a[k], b[k], `${at}/${k}`);
    if (d !== null) return d;
  }
  return null;
}

/**
 * Rows of a difference whose changes are equal but for the last digits (what two rows that make up
 * the whole gain and lose, once the totals are made equal) may stand in either order.
 */
function ranked(route, answer) {
  if (route !== "diff" || !answer.rows) return answer;
  const change = (row) => Number(Math.abs(row[2] - row[1]).toPrecision(9));
  // A wrong order stays, and is found.
  if (answer.rows.some((row, k) => k > 0 && change(row) > change(answer.rows[k - 1]))) return answer;
  const before = (a, b) => change(b) - change(a) || (a[0] < b[0] ? -1 : 1);
  return { ...answer, rows: [...answer.rows].sort(before) };
}

if (!process.env.MEMPROF_COMMAND) {
  console.log("MEMPROF_COMMAND is not set: there is no server to compare with");
  process.exit(2);
}
// "+NAME": one of the examples in C++, recorded just now.
const traces = process.argv.slice(2).flatMap((name) => {
  if (!name.startsWith("+")) return [name];
  const trace = recorded(name.slice(1), "--rate", "3e-5");
  if (trace === null) console.log(`skip  ${name}: $MEMPROF_EXAMPLES does not say where the programs are`);
  return trace === null ? [] : [trace];
});
let compared = 0;
let failed = 0;
for (const trace of traces.length > 0 ? traces : ["leaky", "queue_balloon", "viewer_test_repo", "flushes", "external", "threads", "full_rate", "empty_v3"]) {
  const html = readFileSync(await offlineFile(trace), "utf8");
  const data = JSON.parse(/<script id="memprof-data"[^>]*>([^<]*)</.exec(html)[1]);
  const { embeddedSource } = await load("/src/engine/engine.ts");
  const engine = embeddedSource(data);
  const server = await serve(trace);
  const around = engine.answer("table", [["sort", "total"], ["limit", "3"]]).rows.map((r) => `around?function=${encodeURIComponent(r[0])}`);
  for (const route of ["trace", ...routes, ...around]) {
    const [name, query = ""] = route.split("?");
    for (const selection of name === "trace" ? [""] : selections) {
      const text = [selection, query].filter(Boolean).join("&");
      const ask = async () => {
        const answer = await fetch(`${server.url}api/${name}?${text}`, { signal: AbortSignal.timeout(60_000) });
        return answer.ok && name === "folded" ? answer.text() : answer.json();
      };
      const theirs = await ask().catch((e) => ({ failed: `${e.message}` }));
      let ours;
      try {
        ours = engine.answer(name, [...new URLSearchParams(text)]);
      } catch (e) {
        ours = { error: e.message, parameter: e.parameter };
      }
      if (name === "trace") theirs.growing = ours.growing; // a file is never one that grows
      const d = difference(ranked(name, theirs), ranked(name, JSON.parse(JSON.stringify(ours))));
      ++compared;
      if (d !== null) {
        ++failed;
        if (failed <= 40) console.log(`${trace} ${name}?${text}\n  server and page: ${d}`);
      }
    }
  }
  server.stop();
}
console.log(`${compared} answers compared, ${failed} differ`);
await stopAll();
process.exit(failed === 0 ? 0 : 1);
