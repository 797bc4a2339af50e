// SPDX-License-Identifier: MIT
/** The engine in a worker: one question after another, without those that were taken back meanwhile. */
import { RouteError } from "../api";
import { Engine } from "./engine";
import { forTransfer } from "./flat_tree";
import { Index, unpackIndex } from "./index";
import { type From, type Reply, type Request, serverGone } from "./protocol";

let engine: Engine | null = null;
const open: Exclude<Request, { drop: true } | { load: From }>[] = [];
/** A turn of its own for each question, so that what came in meanwhile is heard before the next. */
const turn = new MessageChannel();
turn.port1.onmessage = () => {
  const question = open.shift();
  if (question === undefined) return;
  attempt(question.id, () => {
    if (engine === null) throw new RouteError("no trace is loaded", null, 0);
    const answer = engine.answer(question.route, question.parameters);
    say({ id: question.id, answer: forTransfer(question.route, answer) });
  });
  if (open.length > 0) turn.port2.postMessage(null);
};

const say = (reply: Reply) => postMessage(reply);

function refuse(id: number, e: unknown): void {
  const { parameter, status } = e instanceof RouteError ? e : { parameter: null, status: 0 };
  say({ id, error: e instanceof Error ? e.message : String(e), parameter, status });
}
function attempt(id: number, act: () => void): void {
  try {
    act();
  } catch (e) {
    refuse(id, e);
  }
}

/** The body of an answer, which says how much of it there is now and then. */
async function fetchIndex(id: number, url: string): Promise<ArrayBuffer> {
  const answer = await fetch(url).catch(() => {
    throw serverGone(url);
  });
  if (!answer.ok || answer.body === null) {
    throw new RouteError(`The server answers ${url} with status ${answer.status}.`, null, answer.status);
  }
  const of = Number(answer.headers.get("Content-Length"));
  const bytes = new Uint8Array(of);
  const reader = answer.body.getReader();
  let at = 0;
  let said = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw serverGone(url);
    });
    if (done) break;
    if (at + value.length > of) throw new RouteError("The server sent more than it said.", null, 0);
    bytes.set(value, at);
    at += value.length;
    if (at - said > of / 50) say({ id, bytes: (said = at), of });
  }
  if (at !== of) throw serverGone(url);
  return bytes.buffer;
}

async function load(id: number, from: From): Promise<void> {
  try {
    if ("packed" in from) {
      engine = new Engine(new Index(await unpackIndex(from.packed)));
    } else {
      const main = new Index(await fetchIndex(id, from.url));
      const other = from.otherUrl === null ? null : new Index(await fetchIndex(id, from.otherUrl));
      engine = new Engine(main, other);
    }
    say({ id, trace: engine.trace });
  } catch (e) {
    refuse(id, e);
  }
}

onmessage = ({ data }: MessageEvent<Request>) => {
  if ("load" in data) void load(data.id, data.load);
  else if ("drop" in data) {
    const at = open.findIndex(({ id }) => id === data.id);
    if (at >= 0) open.splice(at, 1);
  } else {
    open.push(data);
    if (open.length === 1) turn.port2.postMessage(null);
  }
};
