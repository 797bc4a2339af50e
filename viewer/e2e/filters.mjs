// SPDX-License-Identifier: MIT
// Every filter, set by menu and form with the mouse, is a chip, is in the address, and chooses what
// the reference counted (the golden facts of leaky.ctf, where there is one).
import { address, check, equal, settled, shot, test } from "./harness.mjs";
import { leakyUrl } from "./support.mjs";

const samples = (page) =>
  page.$eval("[data-box='0']", (g) => g.getAttribute("aria-label")).then((l) => Number(l.split(", ")[1].replace(/ k$/, "e3").replace(" ", "")));

// label in the menu, values of the fields, the chip, parameters, samples.
const cases = [
  ["Allocated between", { "allocated-after": "2015982us", "allocated-before": "4031965us" }, "Allocated 2015982us to 4031965us", 4933],
  ["Live between", { "live-after": "7s" }, "Live from 7s on", null],
  ["Live at a time", { "live-at": "4031965us" }, "Live at 4031965us", 320],
  // Of each half of the samples, those live at the other half's peak.
  ["Live at the peak", null, "Live at the peak", 480],
  ["Live at the end", null, "Live at the end", 465],
  ["Freed between", { "collected-before": "1s" }, "Freed until 1s", null],
  ["Never freed", null, "Never freed", 465],
  ["Lifetime", { "lifetime-min": "806393us" }, "Lifetime at least 806393us", 132],
  ["Size", { "size-min": "128B" }, "Size at least 128B", 169],
  ["Temporary", { "freed-within": "64KiB" }, "Temporary: freed within 64KiB", null],
  ["On the heap", ["major"], "On the heap: major", null],
  ["Not on the heap", ["minor"], "Not on the heap: minor", null],
  ["Inside function", { function: "=Stdlib__Printf.ksprintf.k'" }, "Inside function: =Stdlib__Printf.ksprintf.k'", 4090],
  ["Not inside function", { "not-function": "Stdlib__Printf.ksprintf.k'" }, "Not inside function: Stdlib__Printf.ksprintf.k'", 15974],
  ["Inside file", { file: "list.ml" }, "Inside file: list.ml", null],
  ["Not inside file", { "not-file": "list.ml" }, "Not inside file: list.ml", null],
  ["Hide function", { hide: "Stdlib" }, "Hide function: Stdlib", 20064],
];
for (const [label, values, chip, wanted] of cases) {
  test(`filter: ${label}`, async (page) => {
    await page.goto(await leakyUrl("?unit=samples"));
    await settled(page);
    await page.click("#add-filter");
    await page.click(`[role=menuitem]:text-is("${label}")`);
    if (Array.isArray(values)) {
      for (const v of values) await page.check(`.popover label:has-text("${v}") input`);
      await page.click(".popover >> text=Apply");
    } else if (values !== null) {
      for (const [name, value] of Object.entries(values)) await page.fill(`#field-${name}`, value);
      await page.click(".popover >> text=Apply");
    }
    await page.waitForSelector(".chip");
    await settled(page);
    equal(await page.innerText(".chip .text"), chip, "chip");
    const url = new URL(await address(page));
    for (const [n, v] of Object.entries(values ?? {})) {
      if (!Array.isArray(values)) equal(url.searchParams.get(n), v, n);
    }
    const shown = await samples(page);
    // Labels have three digits.
    if (wanted !== null) check(Math.abs(shown - wanted) <= 0.006 * wanted, `${shown} samples, wanted ${wanted}`);
    else check(shown > 0 && shown < 20064, `${shown} samples`);
    await page.reload();
    await settled(page);
    equal(await page.innerText(".chip .text"), chip, "chip after reload");
    equal(await samples(page), shown, "samples after reload");
    await page.click('.chip button[aria-label^="Remove"]');
    await page.waitForFunction(() => document.querySelector(".chip") === null);
  });
}
test("temporary blocks: of each function, how much of what it allocates is freed at once", async (page) => {
  await page.goto(await leakyUrl("?panel=table"));
  await settled(page);
  await page.click("#add-filter");
  await page.click('[role=menuitem]:text-is("Temporary")');
  equal(await page.inputValue("#field-freed-within"), "0B", "at once is what is meant at first");
  await page.keyboard.press("Enter");
  await page.waitForSelector('th:text-is("Of its own")');
  await settled(page);
  check(/One comes with each 39\.1 KiB/.test(await page.innerText("#panel")), "what samples say");
  const shares = await page.$$eval(".data tbody tr td:nth-of-type(3)", (cells) =>
    cells.map((c) => c.textContent).filter((t) => t !== "–").map((t) => Number(t.replace(" %", "").replace("< ", ""))));
  // "–" is one that allocates nothing itself.
  check(shares.length > 5 && shares.every((x) => x >= 0 && x <= 100), shares.join(" "));
  await shot(page, "temporary");
});
test("filter: wrong values are refused with the reason, chips are edited", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  await page.click("#add-filter");
  await page.click('[role=menuitem]:text-is("Size")');
  await page.fill("#field-size-min", "12x");
  await page.click(".popover >> text=Apply");
  check((await page.innerText(".popover [role=alert]")).includes("'12x' needs a unit"), "reason");
  equal(await page.getAttribute("#field-size-min", "aria-invalid"), "true");
  await page.fill("#field-size-min", "1KiB");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".chip");
  await page.click(".chip .text");
  equal(await page.inputValue("#field-size-min"), "1KiB", "the form has what the chip has");
  await page.fill("#field-size-min", "2KiB");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".chip >> text=2KiB");
  await page.click("text=Clear all");
  await page.waitForFunction(() => document.querySelector(".chip") === null);
});
test("filter: a range dragged in the chart", async (page) => {
  await page.goto(await leakyUrl("?unit=samples"));
  await settled(page);
  await page.waitForSelector(".timeline .u-over");
  const box = await page.locator(".timeline .u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 30, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector("#range-from").value !== "");
  await page.click('.range button:text-is("Live in")');
  await page.waitForSelector('.chip:has-text("Live")');
  await settled(page);
  const from = new URL(await address(page)).searchParams.get("live-after");
  check(/^(1\.9|2|2\.\d+)\d*s$/.test(from), `from ${from}`);
  check(await samples(page) > 4000, "blocks live there");
});
