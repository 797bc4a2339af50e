// SPDX-License-Identifier: MIT
// How long a user waits, in Chromium: timing.mjs FILE writes {"first", "ready", "filters", "memory", "trace"} as JSON. In
// seconds: from the start of `memprof serve` until the graph is drawn, until it says its address, and for each filter
// from the change of the address until graph, time line and totals are drawn anew. In MiB: what the server held at most.
import { readFileSync } from "node:fs";
import { browser, load, serve, stopAll } from "./support.mjs";
import { settled } from "./harness.mjs";

const { context, close } = await browser();
const page = await context.newPage();
page.setDefaultTimeout(300_000);
/** Two frames later what is in the document is on the screen. */
const frames = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const drawn = async () => {
  await settled(page);
  await page.waitForSelector(".flame [data-box], .note");
  await frames();
};
const seconds = async (act) => {
  const started = performance.now();
  await act();
  await drawn();
  return (performance.now() - started) / 1000;
};

// A browser that has shown a page before: its own start is not ours.
await page.goto("data:text/html,<p>warm</p>");
await load("/tests/support/traces.ts");  // what serve() needs
let server = null;
let ready = 0;
const first = await seconds(async () => {
  const started = performance.now();
  server = await serve(process.argv[2]);
  ready = (performance.now() - started) / 1000;
  await page.goto(server.url);
});
const { duration_us: whole, ...trace } = await (await fetch(`${server.url}api/trace`)).json();
const at = (share) => `${Math.floor(whole * share)}us`;
const filters = {};
for (const query of [
  "live-at-end=1", "live-at-peak=1", `live-at=${at(0.5)}`, `allocated-after=${at(0.25)}&allocated-before=${at(0.5)}`,
  `live-after=${at(0.5)}&live-before=${at(0.75)}`, `collected-after=${at(0.25)}&collected-before=${at(0.5)}`,
  "size-min=64B&size-max=4KiB", `lifetime-min=${at(0.25)}`, "function=/^[a-m]/", "hide=std::",
]) {
  filters[query] = await seconds(async () => {
    await page.evaluate((q) => {
      history.pushState(null, "", `?${q}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, query);
    await frames();  // until the page has asked, it looks as if it were done
  });
}
const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024;
console.log(JSON.stringify({ first, ready, filters, memory, trace }));
server.stop();
await close();
await stopAll();
process.exit(0);
