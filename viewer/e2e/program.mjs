// SPDX-License-Identifier: MIT
// A running program that answers /debug/memprof/ itself (memprof::serve).
import { check, equal, settled, shot, test } from "./harness.mjs";
import { program } from "./support.mjs";

const evaluate = async (url, expression) =>
  (await fetch(`${url}/evaluate`, { method: "POST", body: expression })).status;
const totalShown = (page, name) => page.innerText(`.total:has(.name:text("${name}")) .number`);

test("program: a running server shows itself, live", async (page) => {
  const server = await program({ MEMPROF_RATE: "0.01" });
  if (server === null) return "the example server was not built";
  const { url } = server;
  try {
    equal(await evaluate(url, "2^100"), 200, "status");
    await page.goto(`${url}/debug/memprof`);
    equal(new URL(page.url()).pathname, "/debug/memprof/", "path");
    await settled(page);
    await page.waitForSelector(".badge.live");
    equal(await page.innerText("h1"), "memprof-example-server", "program");
    check((await page.innerText(".banner")).includes("A running program"), "what it shows");
    // Its functions have their names.
    await page.keyboard.press("2");
    await settled(page);
    check((await page.innerText("#panel")).includes("example::server::"), "functions");
    // What it allocates appears by itself.
    const before = await totalShown(page, "Allocated");
    for (let i = 0; i < 20; ++i) equal(await evaluate(url, `sum(i = 1..3000, i^${i + 20})`), 200, "status");
    await page.waitForFunction(
      (t) => [...document.querySelectorAll(".total")].find((e) => e.innerText.includes("Allocated"))?.querySelector(".number").innerText !== t,
      before,
    );
    await page.waitForFunction(() => document.querySelector("#panel")?.innerText.includes("example::server::answer_to"));
    await page.keyboard.press("1");
    await settled(page);
    await shot(page, "program");
    // No panel is without an answer.
    for (const key of "234567890") {
      await page.keyboard.press(key);
      await settled(page);
      equal(await page.locator("#panel .note.bad").count(), 0, `errors on panel ${key}`);
    }
  } finally {
    server.stop();
  }
});
