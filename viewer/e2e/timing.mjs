// SPDX-License-Identifier: MIT
// How long a user waits, in Chromium: timing.mjs FILE writes {"first", "filters"} as JSON, in seconds:
// from going to the page's address (of a server that has read the trace) until the graph is drawn, and for
// each filter from the change of the address until graph, time line and totals are drawn anew.
import { browser, serve, stopAll } from "./support.mjs";
import { settled } from "./harness.mjs";

const { context, close } = await browser();
const page = await context.newPage();
page.setDefaultTimeout(300_000);
const server = await serve(process.argv[2]);
const drawn = async () => {
  await settled(page);
  await page.waitForSelector(".flame [data-box], .note");
  // What is in the document is on the screen two frames later.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
};
const seconds = async (act) => {
  const started = performance.now();
  await act();
  await drawn();
  return (performance.now() - started) / 1000;
};

const first = await seconds(() => page.goto(server.url));
const { duration_us: whole } = await (await fetch(`${server.url}api/trace`)).json();
const at = (share) => `${Math.floor(whole * share)}us`;
const filters = {};
for (const query of [
  "live-at-end=1", "live-at-peak=1", `live-at=${at(0.5)}`, `allocated-after=${at(0.25)}&allocated-before=${at(0.5)}`,
  `live-after=${at(0.5)}&live-before=${at(0.75)}`, `collected-after=${at(0.25)}&collected-before=${at(0.5)}`,
  "size-min=64B&size-max=4KiB", `lifetime-min=${at(0.25)}`, "function=/^[a-m]/", "hide=std::",
]) {
  // Until the page has asked, it looks as if it were done; from its question to the answer it is busy.
  const wanted = new URLSearchParams(query);
  const answered = page.waitForResponse((r) => {
    const url = new URL(r.url());
    return url.pathname === "/api/graph" && [...wanted].every(([k, v]) => url.searchParams.get(k) === v);
  });
  filters[query] = await seconds(async () => {
    await page.evaluate((q) => {
      history.pushState(null, "", `?${q}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, query);
    await answered;
  });
}
console.log(JSON.stringify({ first, filters }));
server.stop();
await close();
await stopAll();
process.exit(0);
