// SPDX-License-Identifier: MIT
/** Who answers the page's questions: a worker with the trace's index, which it has from the server or from this file. */
import { type Answers, type Parameters, type Route, RouteError, type Trace } from "./api";
import { fromTransfer } from "./engine/flat_tree";
import { unpackIndex } from "./engine/index";
import { serverGone } from "./engine/protocol";
import { startWorker } from "./engine/start";
import type { From, Reply, Request } from "./engine/protocol";

export interface Source {
  /** Whether the trace came within the page. */
  readonly offline: boolean;
  get<R extends Route>(route: R, parameters: Parameters, signal?: AbortSignal): Promise<Answers[R]>;
  /** The lines of a file of its sources, or why there are none. */
  text(file: string): Promise<SourceText>;
  /** The trace as it is now, read again if there is more of it than `last` knows. */
  refresh(last: Trace): Promise<Trace>;
}
/** Pieces of a file: the number of the first line, and the lines. */
export type SourceText = { parts: [number, string[]][] } | { why: string };
export type Progress = (share: number) => void;

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  progress?: Progress;
}

class WorkerSource implements Source {
  private readonly worker = startWorker();
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(readonly offline: boolean) {
    this.worker.onmessage = ({ data }: MessageEvent<Reply>) => this.hear(data);
    const stopped = (e: Event) => {
      e.preventDefault?.();
      const error = new RouteError(`The page's worker stopped. ${(e as ErrorEvent).message ?? ""}`, null, 0);
      for (const w of this.waiting.values()) w.reject(error);
      this.waiting.clear();
    };
    this.worker.onerror = stopped;
    this.worker.onmessageerror = stopped;
  }

  private hear(reply: Reply): void {
    const w = this.waiting.get(reply.id);
    if (w === undefined) return;
    if ("bytes" in reply) {
      w.progress?.(reply.bytes / reply.of);
      return;
    }
    this.waiting.delete(reply.id);
    if ("error" in reply) w.reject(new RouteError(reply.error, reply.parameter, reply.status));
    else w.resolve(("trace" in reply ? reply.trace : reply.answer) as never);
  }

  private ask<T>(question: { load: From } | { route: Route; parameters: Parameters }, progress?: Progress, signal?: AbortSignal): Promise<T> {
    const id = ++this.last;
    return new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      this.waiting.set(id, { resolve, reject, progress });
      this.say({ id, ...question });
      signal?.addEventListener("abort", () => {
        if (!this.waiting.delete(id)) return;
        this.say({ id, drop: true });
        reject(signal.reason);
      });
    });
  }
  private say(request: Request): void {
    this.worker.postMessage(request);
  }

  async get<R extends Route>(route: R, parameters: Parameters, signal?: AbortSignal): Promise<Answers[R]> {
    return fromTransfer(route, await this.ask({ route, parameters }, undefined, signal)) as Answers[R];
  }
  async text(file: string): Promise<SourceText> {
    if (this.offline) {
      const parts = (await embeddedSources())[file];
      return parts === undefined ? { why: "its lines are not in this page: they were not found where it was made" } : { parts };
    }
    const answer = await fetch(urlOf(`api/source/${encodeURIComponent(file)}`)).catch(() => null);
    if (answer === null) return { why: "the server does not answer" };
    const { lines, why } = (await answer.json()) as { lines: string[] | null; why: string };
    return lines === null ? { why } : { parts: [[1, lines]] };
  }
  loadPacked(packed: string): Promise<Trace> {
    return this.ask({ load: { packed } });
  }
  async loadServed(now: Facts, progress?: Progress): Promise<Trace> {
    const from = { url: urlOf("api/index"), otherUrl: now.other === null ? null : urlOf("api/other") };
    const trace = await this.ask<Trace>({ load: from }, progress);
    return { ...trace, growing: now.growing };
  }
  async refresh(last: Trace): Promise<Trace> {
    if (this.offline) return last;
    const now = await factsNow();
    const same = now.generation === last.generation && now.other?.generation === last.other?.generation;
    return same ? { ...last, growing: now.growing } : this.loadServed(now);
  }
}

/** Beside the page, wherever that is served. Whole: a worker that came from a text has no place of its own. */
function urlOf(path: string): string {
  const url = new URL(path, document.baseURI);
  // The browser knows them; it refuses to fetch an address that has them.
  url.username = url.password = "";
  return url.href;
}

/** What `serve --html` put beside the trace. */
async function embeddedSources(): Promise<Record<string, [number, string[]][]>> {
  const packed = document.getElementById("memprof-sources")?.textContent?.trim() ?? "";
  return packed === "" ? {} : JSON.parse(new TextDecoder().decode(await unpackIndex(packed)));
}

/** Of /api/trace, what is not in the index. */
interface Facts {
  generation: number;
  growing: boolean;
  other: Facts | null;
}
async function factsNow(): Promise<Facts> {
  const answer = await fetch(urlOf("api/trace")).catch(() => null);
  if (answer === null) throw serverGone(document.baseURI);
  if (!answer.ok) {
    throw new RouteError(`The server answers /api/trace with status ${answer.status}.`, null, answer.status);
  }
  return (await answer.json()) as Facts;
}

/** Loads the trace of this page. */
export async function openTrace(progress: Progress): Promise<{ source: Source; trace: Trace }> {
  const packed = document.getElementById("memprof-data")?.textContent?.trim() ?? "";
  const source = new WorkerSource(packed !== "");
  const trace = packed !== "" ? await source.loadPacked(packed) : await source.loadServed(await factsNow(), progress);
  return { source, trace };
}
