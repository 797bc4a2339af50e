// SPDX-License-Identifier: MIT
// Every panel shows what it should of leaky.ctf, and downloads it.
import { readFileSync } from "node:fs";
import { address, boxesOf, check, equal, settled, test } from "./harness.mjs";
import { leakyUrl, serve } from "./support.mjs";

const open = async (page, query) => {
  await page.goto(await leakyUrl(query));
  await settled(page);
};
const downloaded = async (page, name) => {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.click(`.panel button:text-is("${name}")`),
  ]);
  return readFileSync(await file.path(), "utf8");
};

test("head: whose trace, its rate, totals with intervals", async (page) => {
  await open(page, "");
  const text = await page.innerText(".head");
  for (const part of ["leaky.exe", "899", "leaky server", "2e-4", "8.06 s", "765 MiB", "755 MiB to 776 MiB", "17.7 MiB", "19.4 MiB"]) {
    check(text.includes(part), `the head lacks ${part}: ${text}`);
  }
  equal(await page.title(), "leaky.exe · memprof", "title");
});
test("graph: from main and from sites, icicle and flame, details, search", async (page) => {
  await open(page, "");
  let boxes = await boxesOf(page);
  check(boxes[0].label.startsWith("(all), 765 MiB, 100 %"), boxes[0].label);
  check(boxes.some((b) => b.label.startsWith("Dune__exe__Leaky.handle, 738 MiB")), "handle is missing");
  await page.click('label:has-text("From sites")');
  await settled(page);
  boxes = await boxesOf(page);
  check(boxes.filter((b) => b.level === 2)[0].label.startsWith("Stdlib__List.init_aux, 418 MiB"), "the largest site is not first");
  await page.click('label:has-text("Flame")');
  await settled(page);
  const ys = await page.$$eval("[data-box] rect", (r) => r.slice(0, 2).map((x) => Number(x.getAttribute("y"))));
  check(ys[0] > ys[1], "a flame graph grows upwards");
  await page.hover('[aria-label^="Stdlib__List.init_aux,"] rect');
  const details = await page.innerText(".details");
  for (const part of ["Stdlib__List.init_aux", "418 MiB", "410 MiB to 426 MiB", "objects", "samples in"]) {
    check(details.includes(part), `details lack ${part}: ${details}`);
  }
  await page.fill("#search", "Buffer");
  await page.waitForSelector(".box.hit");
  const found = await page.innerText("#found");
  check(/functions?: .* of what is shown/.test(found), found);
  await page.fill("#search", "/(/");
  await page.waitForSelector("#found .wrong");
});
test("graph: boxes of few samples are faint, others are not", async (page) => {
  await open(page, "?live-at-end=1&from=sites");
  const boxes = (await boxesOf(page)).filter((b) => b.level === 2);
  check(!boxes[0].faint, boxes[0].label);
  check(boxes.at(-1).faint, boxes.at(-1).label);
});
test("graph: zoom by double click, by crumb, back and reload", async (page) => {
  await open(page, "");
  await page.dblclick('[aria-label^="Dune__exe__Leaky.report,"] rect', { position: { x: 2, y: 8 } });
  await page.waitForSelector(".crumbs >> text=Dune__exe__Leaky.report");
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("Dune__exe__Leaky.report"), "not zoomed");
  const zoomed = await address(page);
  check(new URL(zoomed).searchParams.getAll("zoom").at(-1) === "Dune__exe__Leaky.report", zoomed);
  await page.reload();
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("Dune__exe__Leaky.report"), "the zoom is lost");
  await page.click('.crumbs button:text-is("(all)")');
  await page.waitForFunction(() => !location.search.includes("zoom"));
  await page.goBack();
  await page.waitForFunction(() => location.search.includes("zoom"));
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("Dune__exe__Leaky.report"), "back leads elsewhere");
});
test("graph: downloads are what is shown", async (page) => {
  await open(page, "");
  const folded = await downloaded(page, "Folded");
  check(/^Dune__exe__Leaky;.* \d+$/m.test(folded), folded.slice(0, 200));
  const table = await downloaded(page, "CSV");
  check(table.startsWith("path,self_samples"), table.slice(0, 80));
  check(JSON.parse(await downloaded(page, "JSON")).root[3][0] === 20064, "JSON");
  const svg = await downloaded(page, "SVG");
  check(svg.startsWith("<svg") && svg.includes("Leaky.handle") && !svg.includes("class="), svg.slice(0, 200));
  check(/fill="rgb/.test(svg), "the picture has no colours of its own");
});
test("value and unit: one click each", async (page) => {
  await open(page, "");
  await page.click('button.total:has-text("In use at the end")');
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("(all), 17.7 MiB"), "value");
  await page.click('label:has-text("words")');
  await settled(page);
  check((await boxesOf(page))[0].label.startsWith("(all), 2.3"), (await boxesOf(page))[0].label);
  await page.click('label:has-text("objects")');
  await settled(page);
  check(/value=in_use.*unit=objects|unit=objects.*value=in_use/.test(await address(page)), await address(page));
});
test("table: sorted, searched, opened to callers", async (page) => {
  await open(page, "?panel=table");
  const first = () => page.innerText(".data tbody tr:first-child");
  check((await first()).includes("Stdlib__List.init_aux"), await first());
  await page.click('th button:has-text("Total")');
  check((await first()).includes("765 MiB"), await first());
  equal(await page.getAttribute('th:has-text("Total")', "aria-sort"), "descending");
  await page.click('th button:has-text("Total")');
  equal(await page.getAttribute('th:has-text("Total")', "aria-sort"), "ascending");
  await page.fill("#search", "buffer.create");
  equal(await page.locator(".data tbody tr").count(), 1, "rows");
  await page.click('button[aria-label="Open Stdlib__Buffer.create"]');
  await page.waitForSelector('tr.child:has-text("Stdlib__Printf.ksprintf")');
  await page.click('label:has-text("Sites")');
  await settled(page);
  check((await page.innerText(".data")).includes("buffer.ml:34:9-23"), "sites");
  for (const kind of ["Lines", "Files", "Namespaces", "Objects"]) {
    await page.click(`label:has-text("${kind}")`);
    await settled(page);
  }
  check((await downloaded(page, "CSV")).startsWith("name,self_allocated_samples"), "CSV");
});
test("sandwich: callers above, callees below", async (page) => {
  await open(page, "?panel=around&focus=Stdlib__Printf.ksprintf.k'");
  const callers = await boxesOf(page, '.flame svg[aria-label^="Callers"]');
  const callees = await boxesOf(page, '.flame svg[aria-label^="Callees"]');
  equal(callers[0].label.split(",").slice(0, 2), callees[0].label.split(",").slice(0, 2), "the middle");
  check(callers.some((b) => b.label.startsWith("Dune__exe__Leaky.handle")), "caller");
  check(callees.some((b) => b.label.startsWith("Stdlib__Buffer.create")), "callee");
});
for (const [name, query, parts] of [
  ["over time by allocator", "?panel=time", ["Stdlib__List.init_aux", "Dune__exe__Leaky.Metrics.record", "(rest)"]],
  ["over time by age", "?panel=time&view=ages", ["younger than", "and older"]],
  ["rates", "?panel=time&view=rates", ["Allocated and freed per second"]],
  ["lifetimes", "?panel=lifetimes", ["Allocated, by lifetime"]],
  ["lifetimes, linear", "?panel=lifetimes&scale=linear", ["Allocated, by lifetime"]],
  ["each block", "?panel=lifetimes&view=scatter", ["never freed", "chosen at random"]],
  ["survival", "?panel=lifetimes&view=survival&curve=Dune__exe__Leaky.Metrics.record", ["all chosen", "Dune__exe__Leaky.Metrics.record"]],
  ["sizes", "?panel=sizes", ["Allocated, by size of block"]],
  ["promotion", "?panel=promotion", ["Stdlib__List.init_aux list.ml:70:4-27", "100 %"]],
]) {
  test(`panel: ${name}`, async (page) => {
    await open(page, query);
    const text = await page.innerText("#panel");
    for (const part of parts) check(text.includes(part), `lacks ${part}: ${text.slice(0, 900)}`);
    if (name !== "promotion") {
      await page.waitForSelector("#panel .plot canvas");
      const inked = await page.$eval("#panel .plot canvas", (c) => {
        const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
        let n = 0;
        for (let i = 3; i < d.length; i += 4) if (d[i] > 0) ++n;
        return n / (d.length / 4);
      });
      check(inked > 0.02, `the chart is empty: ${inked}`);
      await page.focus("#panel .plot");
      await page.keyboard.press("End");
      await page.keyboard.press("ArrowLeft");
      const readout = await page.innerText("#panel .readout");
      check(/\d/.test(readout), `no readout: ${readout}`);
    }
  });
}
test("suspects: the leak is named, with evidence, and chosen by a click", async (page) => {
  await open(page, "?panel=suspects");
  const text = await page.innerText('section[aria-label="Look like leaks"]');
  check(text.includes("Dune__exe__Leaky.Metrics.record") && /born in the four quarters/.test(text), text);
  await page.click('section[aria-label="Look like leaks"] .suspect .link >> nth=0');
  await settled(page);
  check((await address(page)).includes("live-at-end=1"), await address(page));
  check((await boxesOf(page))[1].label.startsWith("Dune__exe__Leaky.Metrics.record"), "graph of the suspect");
});
test("compare: the halves of the run, rows and graph", async (page) => {
  await open(page, "?panel=diff");
  await page.click("text=Compare the halves of the run");
  await settled(page);
  check((await page.innerText("#panel .summary")).includes("+"), "summary");
  await page.click('label:has-text("Paths")');
  await page.waitForSelector(".diff-graph [data-box]");
  const labels = await page.$$eval(".diff-graph [data-box]", (g) => g.map((x) => x.getAttribute("aria-label")));
  check(labels.some((l) => l.startsWith("Dune__exe__Leaky.report: 0 B before")), labels.join("\n"));
  check((await downloaded(page, "CSV")).startsWith("name,before_bytes"), "CSV");
});
test("compare: two traces", async (page) => {
  const both = await serve("leaky", "leaky");
  try {
    await page.goto(`${both.url}?panel=diff`);
    await settled(page);
    await page.check(".base input[type=checkbox]");
    await settled(page);
    check((await page.innerText("#panel .summary")).includes("765 MiB before, 765 MiB after"), "summary");
  } finally {
    both.stop();
  }
});
test("a wrong address shows what is wrong, and the way out", async (page) => {
  await page.goto(await leakyUrl("?size-min=12x"));
  await page.waitForSelector(".note.bad");
  check((await page.innerText(".note.bad >> nth=0")).includes("size-min"), "message");
  await page.click('button[aria-label^="Remove the filter"]');
  await settled(page);
  check((await boxesOf(page)).length > 10, "not recovered");
});
test("an empty selection says so", async (page) => {
  await open(page, "?function=nobody");
  check((await page.innerText("#panel")).includes("No sampled block is in this selection"), "message");
});
