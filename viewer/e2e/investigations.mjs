// SPDX-License-Identifier: MIT
// The two investigations of the memtrace announcement, each step with a picture for docs/viewer.md.
import { boxesOf, check, equal, settled, shot, test } from "./harness.mjs";
import { recorded, serve } from "./support.mjs";

const sites = async (page) => (await boxesOf(page)).filter((b) => b.level === 2).map((b) => b.label.split(",")[0]);
async function hintsAway(page) {
  for (const b of await page.$$('.hint .link:text-is("Got it")')) await b.click();
}

test("investigation: the leak of leaky.ctf", async (page) => {
  const server = await serve("leaky");
  try {
    await page.goto(server.url);
    await settled(page);
    await hintsAway(page);
    await shot(page, "leak-1-opened");
    const first = await sites(page);
    check(first.length > 0, "nothing is shown");
    // What is left at the end: the report of the last phase is still there, so it is not yet clear.
    await page.click("#add-filter");
    await page.click('[role=menuitem]:text-is("Live at the end")');
    await settled(page);
    await page.click('label:has-text("From sites")');
    await settled(page);
    await shot(page, "leak-2-live-at-the-end");
    const atEnd = await sites(page);
    check(atEnd.includes("Stdlib__Buffer.resize") && atEnd.includes("Dune__exe__Leaky.Metrics.record"), atEnd.join(", "));
    // The middle phase, dragged in the chart.
    const box = await page.locator(".timeline .u-over").boundingBox();
    await page.mouse.move(box.x + box.width * (1 / 8.07), box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * (7 / 8.07), box.y + 40, { steps: 10 });
    await page.waitForTimeout(100);
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelector("#range-to").value !== "");
    await shot(page, "leak-3-range");
    await page.click('.range button:text-is("Allocated in")');
    await page.waitForSelector('.chip:has-text("Allocated")');
    await settled(page);
    await page.hover("[data-box='1'] rect");
    await shot(page, "leak-4-culprit");
    // The culprit, read from the graph: the widest site, and nearly all there is.
    const boxes = (await boxesOf(page)).filter((b) => b.level === 2);
    equal(boxes[0].label.split(",")[0], "Dune__exe__Leaky.Metrics.record", "culprit");
    check(parseFloat(boxes[0].label.split(", ")[2]) > 80, boxes[0].label);
    check(!boxes[0].faint, "certain enough");
    await page.keyboard.press("8");
    await settled(page);
    await hintsAway(page);
    await page.click("text=Clear all");
    await settled(page);
    await shot(page, "leak-5-suspects");
    check((await page.innerText('section[aria-label="Look like leaks"] li')).includes("Dune__exe__Leaky.Metrics.record"), "suspects");
  } finally {
    server.stop();
  }
});
test("investigation: the ballooning queue of queue_balloon.ctf", async (page) => {
  const server = await serve("queue_balloon");
  try {
    await page.goto(server.url);
    await settled(page);
    await hintsAway(page);
    await shot(page, "queue-1-opened");
    await page.click("#add-filter");
    await page.click('[role=menuitem]:text-is("Live at the peak")');
    await settled(page);
    const boxes = await boxesOf(page);
    check(boxes.some((b) => /Producer|producer|Queue|push|produce/.test(b.label) && parseFloat(b.label.split(", ")[2]) > 20), boxes.map((b) => b.label).join("\n"));
    await shot(page, "queue-2-at-the-peak");
    await page.click("text=Clear all");
    await page.keyboard.press("5");
    await page.click('label:has-text("Each block")');
    await page.click('label:has-text("Linear")');
    await settled(page);
    await hintsAway(page);
    await shot(page, "queue-3-each-block");
    await page.keyboard.press("8");
    await settled(page);
    await hintsAway(page);
    await shot(page, "queue-4-suspects");
    const text = await page.innerText('section[aria-label="Look like ballooning queues"]');
    check(/rank correlation/.test(text), text);
  } finally {
    server.stop();
  }
});

// The same on programs of our own in C++, as docs/tutorial.md has them with commands alone.
test("investigation: a leak in C++, recorded just now", async (page) => {
  const trace = recorded("leaky_server", "--rate", "1e-4");
  if (trace === null) return "$MEMPROF_EXAMPLES does not say where the programs are";
  const server = await serve(trace);
  try {
    await page.goto(`${server.url}?live-at-end=1&allocated-before=1s&from=sites`);
    await settled(page);
    const boxes = (await boxesOf(page)).filter((b) => b.level === 2);
    equal(boxes[0].label.split(",")[0], "metrics::record", "culprit");
    check(parseFloat(boxes[0].label.split(", ")[2]) > 80, boxes[0].label);
    await page.goto(`${server.url}?panel=suspects`);
    await settled(page);
    const suspects = await page.innerText("#panel");
    check(/metrics::record/.test(suspects), suspects);
  } finally {
    server.stop();
  }
});
test("investigation: a queue in C++, recorded just now", async (page) => {
  const trace = recorded("log_shipper", "--rate", "1e-4");
  if (trace === null) return "$MEMPROF_EXAMPLES does not say where the programs are";
  const server = await serve(trace);
  try {
    await page.goto(`${server.url}?live-at-peak=1&from=sites`);
    await settled(page);
    const boxes = (await boxesOf(page)).filter((b) => b.level === 2);
    check(boxes.length > 0 && parseFloat(boxes[0].label.split(", ")[2]) > 50, boxes.map((b) => b.label).join("\n"));
    // In use at the end: nothing of it.
    await page.goto(`${server.url}?live-at-end=1&function=${encodeURIComponent(`=${boxes[0].label.split(",")[0]}`)}`);
    await settled(page);
    equal(await page.locator(".flame [data-box]").count(), 0, "boxes: the queue has drained");
  } finally {
    server.stop();
  }
});
