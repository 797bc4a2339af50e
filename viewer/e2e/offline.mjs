// SPDX-License-Identifier: MIT
// The offline file from disk; names that are markup; a damaged, an empty, and a frozen trace.
import { pathToFileURL } from "node:url";
import { address, boxesOf, check, equal, settled, test } from "./harness.mjs";
import { embedded, offlineFile, writeOffline } from "./support.mjs";

const url = (path, state = "") => pathToFileURL(path).href + state;

test("offline: the file answers every panel and filter, and its address is the state", async (page) => {
  const file = await offlineFile("leaky");
  await page.goto(url(file));
  await settled(page);
  check((await page.innerText(".head")).includes("offline file"), "badge");
  check((await boxesOf(page))[0].label.startsWith("(all), 765 MiB"), "graph");
  for (const key of ["2", "4", "5", "6", "7", "8", "9", "1"]) {
    await page.keyboard.press(key);
    await settled(page);
  }
  await page.click("#add-filter");
  await page.click('[role=menuitem]:text-is("Live at the end")');
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("(all), 17.7 MiB"), "filtered");
  check(/#.*live-at-end=1/.test(await address(page)), await address(page));
  await page.reload();
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("(all), 17.7 MiB"), "after reload");
  await page.goBack();
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("(all), 765 MiB"), "after back");
});
test("hostile names are text everywhere", async (page) => {
  const data = await embedded("leaky");
  const evil = `<img src=x onerror="document.title='owned'">`;
  data.trace.executable = data.trace.context = data.trace.host = `${evil}</script><script>document.title='owned'</script>`;
  data.tables.functions = data.tables.functions.map((f, k) => `${evil}"'&;\u202e${k} ${f}`);
  data.tables.files = data.tables.files.map((f) => `${evil}${f}`);
  const file = writeOffline(data, "hostile");
  await page.goto(url(file));
  await settled(page);
  for (const key of ["2", "3", "4", "5", "6", "7", "8", "9", "1"]) {
    await page.keyboard.press(key);
    await settled(page);
    equal(await page.locator("img, script:not([type])").count(), 0, `elements from names on panel ${key}`);
  }
  await page.keyboard.press("g");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  check((await page.innerText(".details .name")).includes("<img src=x"), "as text");
  check(!(await page.title()).startsWith("owned"), "run");
});
test("a damaged trace says so, and shows what was before", async (page) => {
  const data = await embedded("leaky");
  data.trace.damage = "At byte 391000: the packet is longer than the file.";
  await page.goto(url(writeOffline(data, "damaged")));
  await settled(page);
  check((await page.innerText(".banner")).includes("At byte 391000"), "banner");
});
test("an empty trace has meaningful empty panels", async (page) => {
  await page.goto(url(writeOffline(await embedded("tiny"), "tiny")));
  await settled(page);
  const data = await embedded("tiny");
  for (const name of Object.keys(data.trace.total)) {
    data.trace.total[name] = { samples: 0, blocks: 0, bytes: [0, 0, 0], objects: [0, 0, 0] };
  }
  data.tables.objects = 0;
  const { gunzipSync, gzipSync } = await import("node:zlib");
  data.index = gzipSync(gunzipSync(Buffer.from(data.index, "base64")).subarray(0, data.tables.nodes * 8)).toString("base64");
  await page.goto(url(writeOffline(data, "empty")));
  await settled(page);
  for (const key of ["1", "2", "4", "5", "6", "7", "8", "9"]) {
    await page.keyboard.press(key);
    await settled(page);
    equal(await page.locator("#panel .note.bad").count(), 0, `errors on panel ${key}`);
  }
});
test("limits: markers, a panel of their own, and a way to what was live", async (page) => {
  const data = await embedded("leaky");
  data.trace.limits = [{ time_us: 3_000_000, kind: "memory", allowed: 1 << 24, measured: (1 << 24) + 64, deferrals: 1, thread: 4711, stack: ["main", "handle_request"] }];
  await page.goto(url(writeOffline(data, "limits")));
  await settled(page);
  await page.click("#tab-limits");
  const text = await page.innerText("#panel");
  for (const part of ["3.00 s", "memory", "16.0 MiB", "handle_request", "4711"]) check(text.includes(part), `${part}: ${text}`);
  await page.click("text=What was live then");
  await page.waitForSelector('.chip:has-text("Live at 3s")');
});
test("a frozen file shows its selection and refuses others cleanly", async (page) => {
  const data = await embedded("leaky");
  const { Engine, graph } = await frozenAnswers(data);
  data.answers = Object.fromEntries(
    graph.flatMap((value) => ["main", "sites"].map((from) => [
      `/api/graph?value=${value}&from=${from}`, Engine.answer("graph", [["value", value], ["from", from]]),
    ])).concat([["/api/series", Engine.answer("series", [])]]),
  );
  data.trace.frozen = {};
  delete data.index;
  delete data.tables;
  await page.goto(url(writeOffline(data, "frozen")));
  await settled(page);
  check((await boxesOf(page)).length > 10, "graph");
  check((await page.innerText(".banner")).includes("the whole trace"), "banner");
  await page.goto(`${url(writeOffline(data, "frozen"))}#live-at-end=1`);
  await page.reload();
  await page.waitForSelector(".note.bad");
  check((await page.innerText(".note.bad >> nth=0")).includes("memprof serve"), "refusal");
});
async function frozenAnswers(data) {
  const { load } = await import("./support.mjs");
  const { embeddedSource } = await load("/src/engine/engine.ts");
  return { Engine: embeddedSource(structuredClone(data)), graph: ["allocated", "in_use", "peak"] };
}
