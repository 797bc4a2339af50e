// SPDX-License-Identifier: MIT
// A trace that is still written: the page follows it, and what the user has chosen stays. A server that goes away.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { address, boxesOf, check, equal, settled, test } from "./harness.mjs";
import { load, out, serve } from "./support.mjs";

test("growing: a file that is still written is shown as it grows", async (page) => {
  if (!process.env.MEMPROF_COMMAND) return "the stand-in for the server reads no files";
  const { folder } = await load("/tests/support/traces.ts");
  const whole = readFileSync(join(folder, "leaky.ctf"));
  const half = Math.floor(whole.length / 2);
  const file = join(out, "growing.ctf");
  writeFileSync(file, whole.subarray(0, half));
  const total = async () => (await boxesOf(page))[0].label.split(", ")[1];
  const complete = await serve("leaky");
  await page.goto(`${complete.url}?heap=minor&from=sites`);
  await settled(page);
  const after = await total();
  complete.stop();
  const server = await serve(file);
  try {
    await page.goto(`${server.url}?heap=minor&from=sites`);
    await settled(page);
    await page.waitForSelector(".badge.live");
    const before = await total();
    check(parseFloat(before) > 10 && before !== after, `${before}, ${after} in the end`);
    // A dialog that is open must not be taken away by what is new.
    await page.keyboard.press("f");
    await page.waitForSelector("[role=menu]");
    appendFileSync(file, whole.subarray(half));
    await page.waitForFunction(
      (t) => document.querySelector(".flame [data-box]")?.getAttribute("aria-label").startsWith(`(all), ${t},`), after,
    );
    check(await page.locator("[role=menu]").isVisible(), "the menu stayed");
    equal(new URL(await address(page)).search, "?heap=minor&from=sites", "address");
    // Written to no more, it is a trace like any other.
    await page.waitForFunction(() => document.querySelector(".badge.live") === null);
    equal(await total(), after, "total");
  } finally {
    server.stop();
  }
});
test("growing: a server that ends is not shown as live", async (unused, context) => {
  if (!process.env.MEMPROF_COMMAND) return "the stand-in for the server reads no files";
  const { folder } = await load("/tests/support/traces.ts");
  const file = join(out, "abandoned.ctf");
  writeFileSync(file, readFileSync(join(folder, "leaky.ctf")).subarray(0, 100_000));
  const server = await serve(file);
  // A page of its own: that requests fail is what is asked here.
  const page = await context.newPage();
  await page.goto(server.url);
  await settled(page);
  await page.waitForSelector(".badge.live");
  server.stop();
  await page.waitForSelector(".badge.gone");
  equal(await page.locator(".badge.live").count(), 0, "live badges");
  await page.close();
});
test("without its server a page goes on, but cannot be loaded", async (page, context) => {
  const server = await serve("flushes");
  await page.goto(server.url);
  await settled(page);
  // What was begun before the end is what is asked here: the page is there, the trace is not.
  const late = await context.newPage();
  await late.route("**/api/index", (route) => route.abort());
  await late.goto(server.url);
  await late.waitForSelector(".note.bad.start");
  check((await late.innerText(".note.bad.start")).includes("Is `memprof serve` still running?"), "reason");
  await late.route("**/api/index", (route) => route.fulfill({ body: "memprof1", headers: { "Content-Length": "4000" } }));
  await late.reload();
  await late.waitForSelector(".note.bad.start");
  await late.close();
  server.stop();
  for (const key of ["2", "4", "8"]) {
    await page.keyboard.press(key);
    await settled(page);
    equal(await page.locator("#panel .note.bad").count(), 0, `errors on panel ${key}`);
  }
  await page.click("#add-filter");
  await page.click('[role=menuitem]:text-is("Live at the end")');
  await settled(page);
  check(/live-at-end=1/.test(await address(page)), "filtered");
});
test("a theme and hints that were read are remembered by another server, too", async (page) => {
  const first = await serve("leaky");
  await page.goto(`${first.url}?panel=around`);
  await settled(page);
  const theme = () => page.getAttribute("html", "data-theme");
  equal(await theme(), "light", "theme at first");
  await page.keyboard.press("t");
  await page.click('.hint button:text-is("Got it")');
  first.stop();
  const second = await serve("flushes");
  check(second.url !== first.url, "another port");
  await page.goto(`${second.url}?panel=around`);
  await settled(page);
  equal(await theme(), "dark", "theme");
  equal(await page.locator(".hint").count(), 0, "hints");
  await page.keyboard.press("t");
  second.stop();
  // What is chosen is chosen for all tests of this browser.
  await page.context().clearCookies();
});
