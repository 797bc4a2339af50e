// SPDX-License-Identifier: MIT
// Every field of every panel is typed into, letter by letter, with letters that are keys elsewhere.
import { address, check, equal, settled, test } from "./harness.mjs";
import { leakyUrl } from "./support.mjs";

const views = ["graph", "table", "around", "time", "lifetimes", "lifetimes&view=survival", "sizes", "promotion", "suspects", "diff", "source"];
const letters = "ht1f";

/** Types into the field that has the focus, slowly enough for the page to draw between two letters. */
async function typed(page, field, text) {
  let soFar = "";
  for (const letter of text) {
    await page.keyboard.type(letter);
    soFar += letter;
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const [value, focused] = await field.evaluate((e) => [e.value, e === document.activeElement]);
    check(focused, `after "${soFar}" the field has lost the focus`);
    equal(value, soFar, "what the field holds");
  }
}

for (const view of views) {
  test(`fields: ${view}`, async (page) => {
    await page.goto(await leakyUrl(`?panel=${view}`));
    await settled(page);
    const count = await page.locator("input[type=text]:visible").count();
    check(count >= 2, "the range of time has two fields");
    for (let k = 0; k < count; ++k) {
      const field = page.locator("input[type=text]:visible").nth(k);
      await field.click();
      await typed(page, field, letters);
      equal(await page.getAttribute("html", "data-theme"), "light", "theme");
      equal(new URL(await address(page)).searchParams.get("panel"), view.split("&")[0], "panel");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
    }
  });
}
test("fields: a sandwich's function counts once it is complete", async (page) => {
  await page.goto(await leakyUrl("?panel=around"));
  await settled(page);
  const focus = async () => new URL(await address(page)).searchParams.get("focus");
  await page.click("#search");
  await typed(page, page.locator("#search"), "Stdlib__List.init_aux");
  equal(await focus(), null, "while it is typed");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.search.includes("focus="));
  equal(await focus(), "Stdlib__List.init_aux", "after Enter");
  await page.waitForSelector('.sandwich [data-box="2"]');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("#search").value === "");
});
test("fields: a curve of survival is added, and the field is empty again", async (page) => {
  await page.goto(await leakyUrl("?panel=lifetimes&view=survival"));
  await settled(page);
  for (const name of ["Stdlib__List.init_aux", "Dune__exe__Leaky.handle"]) {
    await page.click("#search");
    await typed(page, page.locator("#search"), name);
    await page.keyboard.press("Enter");
    await page.waitForSelector(`.chip:has-text("${name}")`);
    equal(await page.inputValue("#search"), "", "the field");
  }
  equal(new URL(await address(page)).searchParams.getAll("curve").length, 2, "curves");
});
test("fields: in the forms of filters", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  await page.click("#add-filter");
  const labels = await page.locator("[role=menuitem]").allInnerTexts();
  await page.keyboard.press("Escape");
  let tried = 0;
  for (const label of labels) {
    await page.click("#add-filter");
    await page.click(`[role=menuitem]:text-is("${label}")`);
    const fields = page.locator(".popover input[type=text]");
    for (let k = 0; k < (await fields.count()); ++k, ++tried) {
      await fields.nth(k).click();
      await fields.nth(k).selectText();  // "0B" is there at first in that of temporary blocks
      await typed(page, fields.nth(k), letters);
    }
    // Some filters have no form: they are chips at once.
    await page.keyboard.press("Escape");
  }
  check(tried >= 12, `${tried} fields`);
});
