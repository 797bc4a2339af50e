// SPDX-License-Identifier: MIT
// The offline file from disk; names that are markup; a damaged, a thinned, an empty, and a deep trace.
import { pathToFileURL } from "node:url";
import { address, boxesOf, check, equal, settled, shot, test } from "./harness.mjs";
import { offlineFile, unpacked, writeOffline } from "./support.mjs";

const url = (path, state = "") => pathToFileURL(path).href + state;

test("offline: the file answers every panel and filter, and its address is the state", async (page) => {
  const file = await offlineFile("leaky");
  await page.goto(url(file));
  await settled(page);
  check((await page.innerText(".head")).includes("offline file"), "badge");
  check((await boxesOf(page))[0].label.startsWith("(all), 765 MiB"), "graph");
  for (const key of ["2", "4", "5", "6", "7", "8", "9", "0", "1"]) {
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
  const data = await unpacked("leaky");
  const { head } = data;
  const evil = `<img src=x onerror="document.title='owned'">`;
  head.trace.executable = head.trace.context = head.trace.host = `${evil}</script><script>document.title='owned'</script>`;
  head.functions = head.functions.map((f, k) => `${evil}"'&;\u202e${k} ${f}`);
  head.files = head.files.map((f) => `${evil}${f}`);
  const file = await writeOffline(data, "hostile");
  await page.goto(url(file));
  await settled(page);
  for (const key of ["2", "3", "4", "5", "6", "7", "8", "9", "0", "1"]) {
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
  const data = await unpacked("leaky");
  data.head.trace.damage = "At byte 391000: the packet is longer than the file.";
  await page.goto(url(await writeOffline(data, "damaged")));
  await settled(page);
  check((await page.innerText(".banner")).includes("At byte 391000"), "banner");
});
test("a thinned trace says so", async (page) => {
  const data = await unpacked("leaky");
  data.head.trace.file_sample_rate = 8 * data.head.trace.sample_rate;
  await page.goto(url(await writeOffline(data, "thinned")));
  await settled(page);
  check((await page.innerText(".banner")).includes("one of 8 samples"), "banner");
});
test("an index that is damaged is refused, with a reason", async (page) => {
  const data = await unpacked("leaky");
  const shown = async (changed, name, reason) => {
    await page.goto(url(await writeOffline(changed, `bad-${name}`)));
    await page.waitForSelector(".note.bad.start");
    const text = await page.innerText(".note.bad.start");
    check(text.includes(reason), `${name}: ${text}`);
  };
  await shown({ text: "!" }, "base64", "The trace cannot be shown");
  await shown({ text: "AAAA" }, "gzip", "The trace cannot be shown");
  const { gzipSync } = await import("node:zlib");
  await shown({ text: gzipSync(Buffer.from("rubbish, and more of it")).toString("base64") }, "magic", "no index of memprof");
  const head = structuredClone(data.head);
  head.columns.find(([name]) => name === "time")[2] += 1000;
  await shown({ head, columns: data.columns }, "short", "cut short");
  const changed = structuredClone(data.head);
  const stack = changed.columns.find(([name]) => name === "stack");
  stack[1] = "u32";
  const columns = new Map(data.columns).set("stack", new Uint32Array(stack[2]).fill(1e6));
  await shown({ head: changed, columns }, "stack", "stack that is not there");
});
test("an empty trace, and one of a single block, have meaningful panels", async (page) => {
  const { head, columns } = await unpacked("tiny");
  const ofBlocks = ["length", "samples", "first", "second", "stack", "where", "between"];
  for (const blocks of [0, 1]) {
    const changed = structuredClone(head);
    const fewer = new Map(columns);
    for (const column of changed.columns) {
      if (!ofBlocks.includes(column[0]) && !["change", "time"].includes(column[0])) continue;
      column[2] = blocks;
      fewer.set(column[0], columns.get(column[0]).slice(0, blocks));
    }
    await page.goto(url(await writeOffline({ head: changed, columns: fewer }, `few-${blocks}`)));
    await settled(page);
    if (blocks === 0) check((await page.textContent(".note")).includes("No block was sampled"), "why it is empty");
    await everyPanel(page);
  }
});
test("one sample that neither half has at the peak: a bound, not 0 B", async (page) => {
  const { head, columns } = await unpacked("tiny");
  const changed = structuredClone(head);
  changed.trace.sample_rate = changed.trace.file_sample_rate = 0.01;
  const values = { change: [0, 2], time: [100, 300], samples: [1], first: [0], second: [0] };
  const fewer = new Map(columns);
  for (const column of changed.columns) {
    if (["parent", "frame"].includes(column[0])) continue;
    const value = values[column[0]] ?? columns.get(column[0]).slice(0, 1);
    column[2] = value.length;
    fewer.set(column[0], value);
  }
  await page.goto(url(await writeOffline({ head: changed, columns: fewer }, "one-freed")));
  await settled(page);
  const card = (name) => page.innerText(`.total:has-text("${name}")`);
  const [, upper] = /to ([\d.]+ KiB)\s+800 B/.exec(await card("Allocated"));
  check((await card("peak")).replace(/\s+/g, " ").endsWith(`0 B to ${upper} at most ${upper}`), await card("peak"));
});
test("deep stacks are drawn, and deeper ones do no harm", async (page) => {
  const { head, columns } = await unpacked("tiny");
  for (const depth of [3000, 70_000]) {
    const deep = structuredClone(head);
    deep.functions = Array.from({ length: depth }, (_, k) => `f${k}`);
    deep.files = ["a.ml"];
    deep.frames = deep.functions.map((_, k) => [k, 0, 1, 0, 0, 0]);
    const chain = Uint32Array.from({ length: depth + 1 }, (_, k) => Math.max(0, k - 1));
    const blocks = columns.get("stack").length;
    const changed = new Map(columns).set("parent", chain).set("frame", chain).set("stack", new Uint32Array(blocks).fill(depth));
    for (const column of deep.columns) {
      if (["parent", "frame"].includes(column[0])) column[2] = depth + 1;
      if (changed.get(column[0]) instanceof Uint32Array) column[1] = "u32";
    }
    await page.goto(url(await writeOffline({ head: deep, columns: changed }, `deep-${depth}`)));
    await settled(page);
    // Of 70000 boxes of one width none is larger than the 4001st: `least` hides them all.
    if (depth < 4000) check((await boxesOf(page)).length > 10, "boxes");
    await everyPanel(page);
  }
});
async function everyPanel(page) {
  for (const key of ["1", "2", "4", "5", "6", "7", "8", "9", "0"]) {
    await page.keyboard.press(key);
    await settled(page);
    equal(await page.locator("#panel .note.bad").count(), 0, `errors on panel ${key}`);
  }
}
test("limits: markers, a panel of their own, and a way to what was live", async (page) => {
  const data = await unpacked("leaky");
  data.head.trace.limits = [{ time_us: 3_000_000, kind: "memory", allowed: 1 << 24, measured: (1 << 24) + 64, deferrals: 1, thread: 4711, stack: ["main", "handle_request"] }];
  await page.goto(url(await writeOffline(data, "limits")));
  await settled(page);
  await page.click("#tab-limits");
  const text = await page.innerText("#panel");
  for (const part of ["3.00 s", "memory", "16.0 MiB", "handle_request", "4711"]) check(text.includes(part), `${part}: ${text}`);
  await page.click("text=What was live then");
  await page.waitForSelector('.chip:has-text("Live at 3s")');
});
test("forty limits in the time line: their number and kinds stand in the readout", async (page) => {
  const data = await unpacked("leaky");
  const { trace } = data.head;
  const hit = (k) => ({
    time_us: Math.round(trace.duration_us * (0.4 + 0.001 * k)), kind: k % 4 === 0 ? "token" : "memory",
    allowed: 1e6, measured: 2e6, deferrals: 0, thread: 0, stack: ["main"],
  });
  trace.limits = Array.from({ length: 40 }, (_, k) => hit(k));
  await page.goto(url(await writeOffline(data, "limits")));
  await settled(page);
  const box = await page.locator(".timeline .u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.42, box.y + box.height / 2);
  await page.waitForFunction(() => /limits hit here: \d+ memory, \d+ token/.test(document.querySelector(".timeline .readout").textContent));
  await shot(page, "limits-in-the-time-line");
});
test("a peak that is estimated below what is in use at the end is shown as about that", async (page) => {
  const data = await unpacked("leaky");
  // First a block of one half of the samples alone, then one of both, which stays: the half that picks the moment
  // of the first block has nothing there.
  const few = { length: [8, 8], samples: [10, 18], first: [10, 9], second: [0, 9], stack: [1, 1], where: [0, 0], between: [1, 0], change: [0, 2, 4], time: [10, 20, 30] };
  for (const column of data.head.columns) {
    if (!(column[0] in few)) continue;
    column[2] = few[column[0]].length;
    const Kind = data.columns.get(column[0]).constructor;
    data.columns.set(column[0], Kind.from(few[column[0]]));
  }
  await page.goto(url(await writeOffline(data, "peak")));
  await settled(page);
  const card = (name) => page.innerText(`.total:has-text("${name}")`);
  const peak = await card("In use at the peak");
  check(peak.includes("about as at the end") && !peak.includes("±"), peak);
  const lower = /([\d.]+ KiB) to/;
  equal(lower.exec(peak)[1], lower.exec(await card("In use at the end"))[1], "the interval begins where that of the end does");
  await shot(page, "peak-as-at-the-end");
});
