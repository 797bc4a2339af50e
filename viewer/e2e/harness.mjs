// SPDX-License-Identifier: MIT
// Tests as a list; each gets a fresh page, whose errors are its failures.
import { join } from "node:path";
import { browser, out, stopAll } from "./support.mjs";

const tests = [];
/** What `run` returns is why it could not be run here. */
export const test = (name, run) => tests.push({ name, run });
export function check(condition, what) {
  if (!condition) throw new Error(what);
}
export function equal(found, wanted, what = "value") {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a}, wanted ${b}`);
}

/** A page's errors: of scripts, of the security policy, of requests. */
function listen(page, errors) {
  page.on("pageerror", (e) => errors.push(`script: ${e.message}`));
  page.on("console", (m) => {
    if (m.type() === "error" && !/status of 400/.test(m.text())) errors.push(`console: ${m.text()}`);
  });
  page.on("requestfailed", (r) => {
    if (r.failure()?.errorText !== "net::ERR_ABORTED") errors.push(`request: ${r.url()}`);
  });
  page.on("request", (r) => {
    if (!/^(http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]|file:|blob:|data:)/.test(r.url())) {
      errors.push(`outside: ${r.url()}`);
    }
  });
}

/** As the page has it: what the driver was told may be older. */
export const address = (page) => page.evaluate(() => location.href);
/** Until the panel has its answer. */
export async function settled(page) {
  await page.waitForFunction(() => {
    const panel = document.querySelector("#panel");
    if (panel === null || document.querySelector(".busy, .waiting") !== null) return false;
    return panel.querySelector(".shown, .note, .scroll") !== null;
  });
}
export const shot = (page, name) => page.screenshot({ path: join(out, `${name}.png`) });
export const boxesOf = (page, selector = ".flame svg") =>
  page.$eval(selector, (svg) =>
    [...svg.querySelectorAll("[data-box]")].map((g) => ({
      label: g.getAttribute("aria-label"),
      level: Number(g.getAttribute("aria-level")),
      width: g.querySelector("rect").getBoundingClientRect().width,
      faint: g.classList.contains("faint"),
      hit: g.classList.contains("hit"),
    })),
  );

/** All tests whose name is `wanted`; how many failed. */
export async function runAll(wanted) {
  const { context, close } = await browser();
  const count = { ok: 0, skip: 0, FAIL: 0 };
  for (const { name, run } of tests) {
    if (!wanted(name)) continue;
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);  // other tests run beside this one
    const errors = [];
    listen(page, errors);
    const started = performance.now();
    try {
      const missing = await run(page, context);
      if (errors.length > 0) throw new Error(errors.join("\n  "));
      const took = `${Math.round(performance.now() - started)} ms`;
      ++count[missing === undefined ? "ok" : "skip"];
      console.log(missing === undefined ? `ok    ${name} (${took})` : `skip  ${name}: ${missing}`);
    } catch (e) {
      ++count.FAIL;
      console.log([`FAIL  ${name}`, e.stack ?? e, ...errors].join("\n  "));
      await shot(page, `failed-${name.replace(/\W+/g, "-")}`).catch(() => {});
    }
    await page.close();
  }
  await close();
  await stopAll();
  console.log(`${count.ok} passed, ${count.skip} skipped, ${count.FAIL} failed`);
  return count.FAIL;
}
