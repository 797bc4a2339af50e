// SPDX-License-Identifier: MIT
// Which line, whose code, which names: from boxes and rows to the source, and functions that only pass memory on.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { address, boxesOf, check, equal, settled, shot, test } from "./harness.mjs";
import { leakyUrl, offlineFile, recorded, serve, serveIndex, unpacked, writeOffline } from "./support.mjs";

test("lines: from a row of the table to its source, served and offline", async (page) => {
  const trace = recorded("leaky_server", "--rate", "1e-4");
  if (trace === null) return "needs $MEMPROF_COMMAND and $MEMPROF_EXAMPLES";
  const server = await serve(trace);
  try {
    await page.goto(`${server.url}?panel=table`);
    await settled(page);
    // What the recorder noted of the process.
    check(/resident\s+[\d.]+ MiB at most/.test(await page.innerText(".head")), await page.innerText(".head"));
    await page.click(".data .place >> nth=0");
    await page.waitForSelector(".source tr.at code");
    const at = new URL(await address(page)).searchParams;
    const [path, line] = [at.get("path"), Number(at.get("line"))];
    const wanted = readFileSync(path, "utf8").split("\n")[line - 1];
    equal(await page.textContent(".source tr.at code"), wanted, `${path}:${line}`);
    check(/\d [KMG]iB/.test(await page.innerText(".source tr.at")), "the line has an amount");
    await shot(page, "source");
    await page.goto(`${pathToFileURL(await offlineFile(trace)).href}#panel=source&path=${encodeURIComponent(path)}&line=${line}`);
    await settled(page);
    await page.waitForSelector(".source tr.at code");
    equal(await page.textContent(".source tr.at code"), wanted, "offline");
    // What the trace does not name is not read.
    equal((await fetch(`${server.url}api/source/${encodeURIComponent("/etc/passwd")}`)).status, 404, "status");
  } finally {
    server.stop();
  }
});
test("lines: a box of the graph knows its lines", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  await page.hover('[aria-label^="Dune__exe__Leaky.handle,"] rect');
  await page.waitForSelector(".details .place");
  check(/leaky\.ml:\d+/.test(await page.innerText(".details .place-list")), await page.innerText(".details .place-list"));
  await page.click('[aria-label^="Dune__exe__Leaky.handle,"] rect');
  await page.click(".details .place >> nth=0");
  await page.waitForSelector(".panel-source .source tr.at");
  // The file is not on this machine: the numbers of the lines are there all the same.
  check((await page.innerText("#panel .note")).includes("Only the numbers of the lines"), "note");
});
test("functions of the C++ library can be left out of the graph", async (page) => {
  const data = await unpacked("leaky");
  data.head.functions = data.head.functions.map((f) => f.replace(/^Stdlib__(\w+)\./, "std::$1::"));
  await page.goto(pathToFileURL(await writeOffline(data, "library")).href);
  await settled(page);
  const names = async () => (await boxesOf(page)).map((b) => b.label);
  const whole = (await names())[0];
  check((await names()).some((l) => l.startsWith("std::")), "they are there");
  await page.click('.check:has-text("std::")');
  await page.waitForSelector(".chip");
  await settled(page);
  equal((await names()).filter((l) => l.startsWith("std::")), [], "left out");
  equal((await names())[0], whole, "amounts stay");
  await page.click('.check:has-text("std::")');
  await page.waitForFunction(() => document.querySelector(".chip") === null);
});
test("colours: whose code it is, with a legend; a graph of shared objects", async (page) => {
  await page.goto(await leakyUrl());
  await settled(page);
  const legend = (await page.innerText(".kinds")).split("\n").map((t) => t.trim());
  equal(legend, ["own code", "standard library", "unknown"], "legend");
  check((await page.getAttribute('[aria-label^="Dune__exe__Leaky.handle,"]', "class")).includes("k-own"), "own");
  check((await page.getAttribute('[aria-label^="Stdlib__List"]', "class")).includes("k-library"), "library");
  await page.click('label[title="The program and its shared objects"]');
  await settled(page);
  const labels = (await boxesOf(page)).map((b) => b.label);
  // Around it is code of which nothing is known.
  check(labels.length < 6 && labels.some((l) => l.startsWith("leaky.exe, 765 MiB")), labels.join("; "));
});
test("names: two lines in a table at most, whole on pointing", async (page) => {
  const data = await unpacked("leaky");
  const long = `shop::visitor<${"std::map<std::string, std::vector<int>>, ".repeat(60)}int>::grow`;
  data.head.functions = data.head.functions.map((f) => (f === "Stdlib__List.init_aux" ? long : f));
  await page.goto(`${pathToFileURL(await writeOffline(data, "names")).href}#panel=table`);
  await settled(page);
  const name = page.locator(".data .name-text >> nth=0");
  equal(await name.innerText(), "shop::visitor‹…›::grow", "name");
  equal((await name.getAttribute("title")).split("\n")[0], long, "title");
  check((await page.locator(".data tbody tr >> nth=0").boundingBox()).height <= 48, "height");
  await page.keyboard.press("1");
  await page.click('label:has-text("From sites")');
  await settled(page);
  const texts = await page.$$eval(".labels text", (all) => all.map((t) => t.textContent));
  check(texts.includes("shop::visitor‹…›::grow"), texts.slice(0, 5).join(" "));
  await page.hover('[aria-label^="shop::visitor"] rect');
  equal(await page.innerText(".details .name"), long, "details");
});
/** leaky.ctf as if every fourth block were of domain 3. */
async function withDomains(names) {
  const { head, columns } = await unpacked("leaky");
  head.trace.domains = [0, 3];
  head.trace.thread_names = names;
  const where = Uint32Array.from(columns.get("where"), (w, i) => (w & 3) + 4 * (i % 4 === 0 ? 3 : 0));
  Object.assign(head.columns.find(([n]) => n === "where"), { 1: "u32" });
  return pathToFileURL(await writeOffline({ head, columns: new Map(columns).set("where", where) }, "domains")).href;
}
test("domains: the graph split by them, the table, and over time", async (page) => {
  await page.goto(await withDomains([]));
  await settled(page);
  await page.check('label:has-text("By domain") input');
  await settled(page);
  const top = (await boxesOf(page)).filter((b) => b.level === 2).map((b) => b.label.split(",")[0]);
  equal(top, ["domain 0", "domain 3"], "boxes");
  await page.keyboard.press("2");
  await page.click('label:has-text("Domains")');
  await settled(page);
  equal(await page.locator(".data tbody tr").count(), 2, "rows");
  await page.keyboard.press("4");
  await page.click('label:has-text("Domains")');
  await settled(page);
  check((await page.innerText(".legend")).includes("domain 3"), await page.innerText(".legend"));
});
test("threads: the graph split by them, and blocks chosen by name", async (page) => {
  await page.goto(await withDomains(["worker", "main"]));
  await settled(page);
  await page.check('label:has-text("By thread") input');
  await settled(page);
  const top = async () => (await boxesOf(page)).filter((b) => b.level === 2).map((b) => b.label.split(",")[0]);
  equal(await top(), ["worker", "main"], "boxes");
  await page.click("#add-filter");
  check(!(await page.innerText('[role="menu"]')).includes("Domain"), "no domains are offered");
  await page.click('[role="menuitem"]:text-is("Thread")');
  await page.keyboard.type("mai");
  await page.keyboard.press("Enter");
  await settled(page);
  equal(await top(), ["main"], "the thread that was chosen");
  check(page.url().includes("thread=mai"), page.url());
});
/** leaky.ctf as if each block came from xmalloc, which each function calls. */
async function withWrapper() {
  const { head, columns } = await unpacked("leaky");
  const xmalloc = head.functions.push("xmalloc") - 1;
  const frame = head.frames.push([xmalloc, 0, 7, 0, 0, 0, 0]) - 1;
  const parents = [...columns.get("parent")];
  const frames = [...columns.get("frame")];
  const nodes = new Map();
  const stack = Uint32Array.from(columns.get("stack"), (s) => {
    if (!nodes.has(s)) {
      nodes.set(s, parents.push(s) - 1);
      frames.push(frame);
    }
    return nodes.get(s);
  });
  const changed = new Map(columns);
  for (const [name, values] of [["parent", parents], ["frame", frames], ["stack", stack]]) {
    changed.set(name, Uint32Array.from(values));
    Object.assign(head.columns.find(([n]) => n === name), { 1: "u32", 2: values.length });
  }
  return { head, columns: changed };
}
test("wrappers: found, hidden, and the choice is remembered", async (page) => {
  const server = await serveIndex(await withWrapper());
  try {
    await page.goto(`${server.url}?from=sites`);
    await settled(page);
    await page.waitForSelector(".offer");
    const text = await page.innerText(".offer");
    check(text.includes("xmalloc") && text.includes("100 % of what is allocated"), text);
    check((await boxesOf(page))[1].label.startsWith("xmalloc,"), "the wrapper comes first");
    await page.click(".offer >> text=/^Hide/");
    await page.waitForSelector('.chip:has-text("=xmalloc")');
    await settled(page);
    check((await boxesOf(page))[1].label.startsWith("Stdlib__List.init_aux,"), (await boxesOf(page))[1].label);
    // Without parameters the page opens as one left it; with them it shows what they say.
    await page.goto(server.url);
    await page.waitForSelector('.chip:has-text("=xmalloc")');
    await page.goto(`${server.url}?from=sites`);
    await settled(page);
    equal(await page.locator(".chip").count(), 0, "chips");
  } finally {
    server.stop();
    await page.context().clearCookies();
  }
});
