// SPDX-License-Identifier: MIT
// Pictures of a view, to look at: node e2e/look.mjs TRACE NAME "QUERY" [WIDTHxHEIGHT]
import { join } from "node:path";
import { browser, out, serve, stopAll } from "./support.mjs";

const [trace, ...rest] = process.argv.slice(2);
const server = await serve(trace);
const { context, close } = await browser();
const page = await context.newPage();
page.on("console", (m) => m.type() === "error" && console.log("console:", m.text()));
page.on("pageerror", (e) => console.log("error:", e.message));
for (let k = 0; k + 1 < rest.length; k += 3) {
  const [name, query, size = "1440x900"] = rest.slice(k, k + 3);
  const [width, height] = size.split("x").map(Number);
  await page.setViewportSize({ width, height });
  await page.goto(server.url + query);
  await page.waitForSelector(".panel .shown:not(.busy), .panel .note, .panel table");
  await page.waitForTimeout(250);
  await page.screenshot({ path: join(out, `${name}.png`) });
}
await close();
server.stop();
await stopAll();
process.exit(0);
