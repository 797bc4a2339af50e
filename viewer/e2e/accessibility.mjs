// SPDX-License-Identifier: MIT
// axe on every panel in both themes; no request leaves the machine (harness.mjs); narrow windows.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { check, equal, settled, shot, test } from "./harness.mjs";
import { leakyUrl } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const views = {
  graph: "", "graph-filtered": "live-at-end=1&search=Buffer&function=Leaky", table: "panel=table",
  around: "panel=around&focus=Stdlib__Buffer.create", time: "panel=time", ages: "panel=time&view=ages",
  rates: "panel=time&view=rates", lifetimes: "panel=lifetimes", scatter: "panel=lifetimes&view=scatter",
  survival: "panel=lifetimes&view=survival", sizes: "panel=sizes", promotion: "panel=promotion",
  suspects: "panel=suspects", source: "panel=source&path=list.ml", objects: "panel=table&by=object",
  diff: "panel=diff&compare=paths&base.allocated-before=4s&allocated-after=4s",
};
async function faults(page) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  return result.violations.map((v) => `${v.id}: ${v.help}\n    ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary?.split("\n")[1] ?? ""}`).join("\n    ")}`);
}
for (const [name, query] of Object.entries(views)) {
  for (const theme of ["light", "dark"]) {
    test(`axe: ${name}, ${theme}`, async (page) => {
      await page.goto(await leakyUrl(`?theme=${theme}&${query}`));
      await settled(page);
      equal(await page.getAttribute("html", "data-theme"), theme, "theme");
      const found = await faults(page);
      check(found.length === 0, found.join("\n  "));
      await shot(page, `${name}-${theme}`);
    });
  }
}
test("axe: menu, form, help", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  await page.click("#add-filter");
  let found = await faults(page);
  check(found.length === 0, found.join("\n  "));
  await page.click('[role=menuitem]:text-is("Size")');
  await page.click(".popover >> text=Apply");
  found = await faults(page);
  check(found.length === 0, found.join("\n  "));
  await shot(page, "form");
  await page.keyboard.press("Escape");
  await page.click("text=Help");
  found = await faults(page);
  check(found.length === 0, found.join("\n  "));
  await shot(page, "help");
});
test("theme: of the system unless the address says otherwise", async (page) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(await leakyUrl());
  await settled(page);
  equal(await page.getAttribute("html", "data-theme"), "dark", "of the system");
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  await page.click('.tools button:has-text("Dark")');
  equal(await page.getAttribute("html", "data-theme"), "dark", "switched");
  await page.reload();
  await settled(page);
  equal(await page.getAttribute("html", "data-theme"), "dark", "after reload");
});
for (const width of [1000, 600]) {
  test(`narrow: ${width} pixels wide, nothing sticks out`, async (page) => {
    await page.setViewportSize({ width, height: 700 });
    for (const name of ["graph", "table", "time", "suspects", "diff"]) {
      await page.goto(await leakyUrl(`?${views[name]}`));
      await settled(page);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(over <= 0, `${name}: ${over} pixels too wide`);
      await shot(page, `${name}-${width}`);
    }
  });
}
