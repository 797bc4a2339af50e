// SPDX-License-Identifier: MIT
// What the end-to-end tests stand on: a browser, an offline file for each trace, and a server.
// $MEMPROF_COMMAND: the command whose `memprof serve` is tested. Without it a stand-in serves the
// indexes that tests/support makes of dumps, with the same security policy.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { createServer as createVite } from "vite";

const here = import.meta.dirname;
export const out = join(here, "out");
mkdirSync(out, { recursive: true });
const dist = resolve(here, "../dist");

let vite = null;
export async function load(path) {
  vite ??= await createVite({
    root: resolve(here, ".."),
    server: { middlewareMode: true, hmr: false, ws: false },
    appType: "custom",
    logLevel: "error",
    optimizeDeps: { noDiscovery: true },
  });
  return vite.ssrLoadModule(path);
}

/** A trace's index, to be changed: its head, and its columns by their names. */
export async function unpacked(trace) {
  const { readColumns } = await load("/src/engine/index.ts");
  return readColumns(await indexOf(trace));
}
async function indexOf(trace) {
  if (!process.env.MEMPROF_COMMAND) return (await load("/tests/support/traces.ts")).packed(trace);
  const html = readFileSync(await offlineFile(trace), "utf8");
  return (await load("/src/engine/index.ts")).unpackIndex(/<script id="memprof-data"[^>]*>([^<]*)</.exec(html)[1]);
}

/** An offline page with such an index, or with this text in its place. */
export async function writeOffline({ head, columns, text }, name) {
  const page = readFileSync(join(dist, "single.html"), "utf8");
  const place = '<script id="memprof-data" type="application/gzip">';
  const at = page.indexOf(place);
  if (at < 0) throw new Error("dist/single.html has no place for the data: npm run build");
  const { packIndex } = await load("/tests/support/pack.ts");
  const { embedded } = await load("/tests/support/traces.ts");
  const path = join(out, `${name}.html`);
  const data = text ?? embedded(packIndex(head, columns));
  writeFileSync(path, page.slice(0, at + place.length) + data + page.slice(at + place.length));
  return path;
}
export async function offlineFile(trace) {
  const command = process.env.MEMPROF_COMMAND;
  const path = join(out, `${basename(trace, ".ctf")}.html`);
  if (!command) return writeOffline(await unpacked(trace), trace);
  const { folder } = await load("/tests/support/traces.ts");
  rmSync(path, { force: true });
  await new Promise((done, failed) => {
    const child = spawn(command, ["serve", fileOf(folder, trace), "--html", path], { stdio: ["ignore", "ignore", "inherit"] });
    child.on("exit", (code) => (code === 0 ? done() : failed(new Error(`serve --html: status ${code}`))));
  });
  return path;
}

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
/** That of `memprof serve`. */
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Answers as `memprof serve` does: /api/trace has what the index says of its trace. */
async function standIn(index, other) {
  const { readColumns } = await load("/src/engine/index.ts");
  const facts = (bytes) => bytes && { ...readColumns(bytes).head.trace, growing: false };
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    const send = (status, type, body) => {
      response.writeHead(status, { "Content-Type": type, "Content-Length": body.length, "Content-Security-Policy": policy });
      response.end(body);
    };
    if (url.pathname === "/api/trace") {
      return send(200, "application/json", Buffer.from(JSON.stringify({ ...facts(index), other: facts(other) ?? null })));
    }
    if (url.pathname === "/api/index") return send(200, "application/octet-stream", Buffer.from(index));
    if (url.pathname === "/api/other" && other) return send(200, "application/octet-stream", Buffer.from(other));
    const path = join(dist, url.pathname === "/" ? "index.html" : url.pathname);
    if (!path.startsWith(dist) || !existsSync(path)) return send(404, "text/plain", Buffer.from("not found"));
    send(200, types[path.slice(path.lastIndexOf("."))] ?? "text/plain", readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() };
}

/** A trace by its name, or by its path. */
const fileOf = (folder, trace) => (trace.includes("/") ? trace : join(folder, `${trace}.ctf`));

// One that tests share, and one whose test failed, end with this process.
const servers = [];
process.on("exit", () => servers.forEach((child) => child.kill("SIGTERM")));

async function realServer(command, files) {
  return started(spawn(command, ["serve", ...files], { stdio: ["ignore", "pipe", "pipe"] }));
}
/** The example server ($MEMPROF_EXAMPLES), which shows itself with the page; or null if it is not there. */
export async function program(settings = {}) {
  const path = join(process.env.MEMPROF_EXAMPLES ?? "", "memprof-example-server");
  if (!process.env.MEMPROF_EXAMPLES || !existsSync(path)) return null;
  const env = { ...process.env, MEMPROF_PAGE: join(dist, "single.html"), ...settings };
  return started(spawn(path, [], { stdio: ["ignore", "pipe", "pipe"], env }));
}
/** A server, when it has said where it is. */
async function started(child) {
  servers.push(child);
  const url = await new Promise((done, failed) => {
    let said = "";
    const listen = (chunk) => {
      said += chunk;
      const m = /http:\/\/\S+/.exec(said);
      if (m) done(m[0]);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("exit", (code) => failed(new Error(`serve ended with status ${code}: ${said}`)));
  });
  return { url, pid: child.pid, stop: () => child.kill("SIGTERM") };
}

export async function serve(trace, other) {
  const command = process.env.MEMPROF_COMMAND;
  if (!command) return standIn(await indexOf(trace), other && (await indexOf(other)));
  const { folder } = await load("/tests/support/traces.ts");
  return realServer(command, [fileOf(folder, trace), ...(other ? ["--against", fileOf(folder, other)] : [])]);
}
let leaky = null;
/** The page of leaky.ctf, served once. */
export const leakyUrl = async (query = "") => (leaky ??= await serve("leaky")).url + query;
/** A server of such an index. */
export async function serveIndex({ head, columns }) {
  return standIn((await load("/tests/support/pack.ts")).packIndex(head, columns));
}

const recordings = new Map();
/** A trace of one of the examples ($MEMPROF_EXAMPLES: their folder), or null if they are not there. Each is made once. */
export function recorded(example, ...options) {
  const [command, folder] = [process.env.MEMPROF_COMMAND, process.env.MEMPROF_EXAMPLES];
  if (!command || !folder) return null;
  const key = [example, ...options].join(" ");
  if (recordings.has(key)) return recordings.get(key);
  const trace = join(out, `${example}.ctf`);
  const run = spawnSync(command, ["record", "-q", "-f", "-o", trace, ...options, "--", join(folder, `memprof-example-${example}`)]);
  if (run.status !== 0) throw new Error(`memprof record: ${run.stderr}`);
  recordings.set(key, trace);
  return trace;
}

export const chromiumPath = process.env.CHROMIUM || "/usr/bin/chromium";
export async function browser() {
  const profile = mkdtempSync(join(tmpdir(), "memprof-e2e-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath,
    headless: true,
    acceptDownloads: true,
    viewport: { width: 1440, height: 900 },
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
export async function stopAll() {
  await vite?.close();
}
