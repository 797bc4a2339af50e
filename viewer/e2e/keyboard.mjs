// SPDX-License-Identifier: MIT
// Everything without a mouse.
import { address, boxesOf, check, equal, settled, test } from "./harness.mjs";
import { leakyUrl } from "./support.mjs";

const active = (page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute("aria-label") || document.activeElement?.tagName);
const press = async (page, ...keys) => {
  for (const k of keys) await page.keyboard.press(k);
};

test("keys: panels, help, theme, value, search", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  for (const [key, id] of [["2", "table"], ["3", "around"], ["4", "time"], ["5", "lifetimes"], ["6", "sizes"], ["7", "promotion"], ["8", "suspects"], ["9", "diff"], ["0", "source"]]) {
    await press(page, key);
    await page.waitForSelector(`.panel-${id}`);
    equal(new URL(await address(page)).searchParams.get("panel"), id, key);
  }
  await press(page, "1");
  await page.waitForSelector(".panel-graph");
  await press(page, "?");
  await page.waitForSelector("dialog[open]");
  await press(page, "Escape");
  await page.waitForFunction(() => document.querySelector("dialog") === null);
  await press(page, "t");
  equal(await page.getAttribute("html", "data-theme"), "dark", "theme");
  // Keys between the dialog's closing and the page's hearing of it, while the focus is still in it.
  await press(page, "?");
  await page.waitForSelector("dialog[open]");
  await page.$eval("dialog", (dialog) => {
    dialog.close();
    for (const key of ["t", "?"]) {
      dialog.querySelector("button").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }
  });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
  check((await page.$("dialog[open]")) !== null, "asked for again, the help is there");
  await press(page, "Escape");
  await page.waitForFunction(() => document.querySelector("dialog") === null);
  await press(page, "v");
  await page.waitForFunction(() => location.search.includes("value=in_use"));
  await press(page, "/");
  equal(await active(page), "search");
  await page.keyboard.type("Metrics");
  await page.waitForSelector(".box.hit");
  await press(page, "Escape");
  check((await active(page)).startsWith("Flame graph"), await active(page));
});
/** As on a slow machine: a key that comes before the page has drawn must count, too. */
async function slowly(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 8 });
}
test("keys: through the graph, in and out", async (page) => {
  await slowly(page);
  await page.goto(await leakyUrl());
  await settled(page);
  await press(page, "g", "ArrowDown", "j", "ArrowDown", "j");
  const name = await page.innerText(".details .name");
  equal(name, "Dune__exe__Leaky.handle", "the largest at each step");
  await press(page, "l");
  equal(await page.innerText(".details .name"), "Dune__exe__Leaky.report", "right");
  await press(page, "h");
  equal(await page.innerText(".details .name"), "Dune__exe__Leaky.handle", "left");
  await press(page, "k");
  equal(await page.innerText(".details .name"), "Dune__exe__Leaky", "up");
  await press(page, "j", "Enter");
  await page.waitForFunction(() => location.search.includes("zoom"));
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("Dune__exe__Leaky.handle"), "zoomed");
  await press(page, "Escape", "Escape", "Escape");
  await page.waitForFunction(() => !location.search.includes("zoom"));
});
test("keys: a filter from menu to chip and away again", async (page) => {
  await slowly(page);
  await page.goto(await leakyUrl());
  await settled(page);
  await press(page, "f");
  await page.waitForSelector("[role=menu]");
  await press(page, "Escape");
  equal(await active(page), "add-filter", "focus comes back");
  await press(page, "Enter", "ArrowDown", "ArrowDown", "Enter");
  await page.waitForSelector("#field-live-at");
  await page.keyboard.type("4s");
  await press(page, "Enter");
  await page.waitForSelector('.chip:has-text("Live at 4s")');
  equal(await active(page), "add-filter", "focus after the form");
  await press(page, "Shift+Tab", "Enter");
  await page.waitForFunction(() => document.querySelector(".chip") === null);
});
test("keys: a range of time, the tabs, the totals", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  await press(page, "r");
  equal(await active(page), "range-from");
  await page.keyboard.type("2s");
  await press(page, "Tab");
  await page.keyboard.type("6s");
  await press(page, "Enter");
  await page.waitForSelector('.chip:has-text("Allocated 2s to 6s")');
  await page.focus("#tab-graph");
  await press(page, "ArrowRight");
  equal(await active(page), "tab-table");
  await press(page, "End");
  equal(await active(page), "tab-source");
  await page.focus(".total.on");
  await press(page, "ArrowRight");
  check((await address(page)).includes("value=in_use"), await address(page));
});
test("keys: every control is reached by Tab and shows it", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  const wanted = await page.$$eval("button, input, [tabindex='0']", (all) =>
    all.filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).filter((e) => e.type !== "radio" || e.checked).length,
  );
  const seen = new Set();
  for (let k = 0; k < wanted + 12; ++k) {
    await press(page, "Tab");
    const here = await page.evaluate(() => {
      const e = document.activeElement;
      if (e === null || e === document.body) return null;
      const shown = e.closest("label.on, label") ?? e;
      const style = [getComputedStyle(e), getComputedStyle(shown)];
      return { key: e.outerHTML.slice(0, 300), outlined: style.some((s) => s.outlineStyle !== "none") };
    });
    if (here === null) continue;
    check(here.outlined, `no focus to be seen on ${here.key}`);
    seen.add(here.key);
  }
  check(seen.size >= wanted - 1, `${seen.size} of ${wanted} reached`);
});
