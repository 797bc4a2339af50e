// SPDX-License-Identifier: MIT
// Where things stand, and the time line: its zoom, its scale, its height.
import { address, check, equal, settled, test } from "./harness.mjs";
import { leakyUrl } from "./support.mjs";

const box = (page, selector) => page.locator(selector).first().boundingBox();

test("layout: head in one band, the graph begins in the upper third", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  if (await page.locator(".hint >> text=Got it").count()) await page.click(".hint >> text=Got it");
  const head = await box(page, ".head");
  check(head.height <= 60, `the head is ${head.height} pixels high`);
  const flame = await box(page, ".flame");
  check(flame.y <= 300, `the graph begins at ${flame.y}`);
  await page.click("text=How to read this");
});
test("layout: details below the graph, tabs that go on", async (page) => {
  await page.setViewportSize({ width: 700, height: 900 });
  await page.goto(await leakyUrl());
  await settled(page);
  const [flame, details] = [await box(page, ".flame"), await box(page, ".details")];
  check(details.y >= flame.y + flame.height, "the details stand beside the graph");
  check(flame.width > 600, `the graph is ${flame.width} wide`);
  await page.waitForSelector(".tab-bar.right:not(.left)");
  await page.focus("#tab-graph");
  await page.keyboard.press("End");
  await page.waitForSelector(".tab-bar.left:not(.right)");
});
test("time line: zoom, the whole run again", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  const readout = async () => {
    await page.focus(".timeline .plot");
    await page.keyboard.press("Home");
    return page.innerText(".timeline .readout");
  };
  check((await readout()).startsWith("17.9 ms"), await readout());
  await page.fill("#range-from", "2s");
  await page.fill("#range-to", "4s");
  await page.click(".range >> text=Zoom");
  await page.waitForFunction(() => location.search.includes("window=2000000%2C4000000"));
  await page.waitForSelector('.range button:text-is("Whole run")');
  await settled(page);
  // A step is a 450th of the window, and what was there before it is in it.
  await page.waitForFunction(() => document.querySelector(".timeline .busy") === null);
  check((await readout()).startsWith("2.00 s"), await readout());
  check(/in use [\d.]+ MiB/.test(await readout()), await readout());
  await page.click('.range button:text-is("Whole run")');
  await page.waitForFunction(() => !location.search.includes("window"));
});
test("time line: the scale of what is chosen", async (page) => {
  await page.goto(await leakyUrl("?function=Metrics"));
  await settled(page);
  await page.check('.range label:has-text("Chosen alone") input');
  await page.waitForFunction(() => location.search.includes("alone=1"));
  await page.focus(".timeline .plot");
  await page.keyboard.press("End");
  const text = await page.innerText(".timeline .readout");
  check(text.includes("chosen") && !text.includes("in use"), text);
});
test("time line: its height is dragged and remembered", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  const before = (await box(page, ".timeline .plot")).height;
  const handle = await box(page, ".handle");
  await page.mouse.move(handle.x + handle.width / 2, handle.y + 4);
  await page.mouse.down();
  await page.mouse.move(handle.x + handle.width / 2, handle.y + 104, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((h) => document.querySelector(".timeline .plot").clientHeight > h + 90, before);
  await page.reload();
  await settled(page);
  check((await box(page, ".timeline .plot")).height > before + 90, "after reload");
  await page.focus(".handle");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction((h) => document.querySelector(".timeline .plot").clientHeight < h + 90, before);
  await page.dblclick(".handle");
  await page.waitForFunction((h) => document.querySelector(".timeline .plot").clientHeight === h, before);
  check(!(await address(page)).includes("height"), "it is no part of a view");
});
