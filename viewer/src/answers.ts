// SPDX-License-Identifier: MIT
/** Answers as panels use them: the last ones are kept, a newer question stops an older. */
import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Answers, Parameters, Route, Trace } from "./api";
import type { Source } from "./source";

export interface Page {
  source: Source;
  trace: Trace;
  /** The trace was growing, and its server does not answer. */
  serverGone: boolean;
}
export const PageContext = createContext<Page>(null as unknown as Page);
export const usePage = () => useContext(PageContext);

const kept = new Map<string, unknown>();
const most = 60;

/** What was answered is of another generation when a growing file was read again. */
export function forgetAnswers(): void {
  kept.clear();
}

export interface Answered<T> {
  data: T | null;
  error: Error | null;
  /** `data` is of the question before. */
  busy: boolean;
}

export async function ask<R extends Route>(
  source: Source,
  route: R,
  parameters: Parameters,
  signal?: AbortSignal,
): Promise<Answers[R]> {
  const key = `${route}?${new URLSearchParams(parameters)}`;
  if (kept.has(key)) return kept.get(key) as Answers[R];
  const data = await source.get(route, parameters, signal);
  kept.set(key, data);
  if (kept.size > most) kept.delete(kept.keys().next().value!);
  return data;
}

export function useAnswer<R extends Route>(
  route: R,
  parameters: Parameters | null,
): Answered<Answers[R]> {
  const { source, trace } = usePage();
  const key = parameters === null ? null : `${route}?${new URLSearchParams(parameters)}`;
  const ready = key !== null && kept.has(key) ? (kept.get(key) as Answers[R]) : null;
  const [answer, set] = useState<Answered<Answers[R]> & { key: string | null }>({
    key: ready === null ? null : key, data: ready, error: null, busy: ready === null,
  });
  const latest = useRef(answer);
  latest.current = answer;
  useEffect(() => {
    if (key === null || parameters === null) {
      set({ key, data: null, error: null, busy: false });
      return undefined;
    }
    if (kept.has(key)) {
      set({ key, data: kept.get(key) as Answers[R], error: null, busy: false });
      return undefined;
    }
    const stop = new AbortController();
    set({ ...latest.current, error: null, busy: true });
    ask(source, route, parameters, stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) set({ key, data, error: null, busy: false });
      },
      (error: Error) => {
        if (!stop.signal.aborted) set({ ...latest.current, key, error, busy: false });
      },
    );
    return () => stop.abort();
  }, [key, source, trace.generation]);
  // At once, not a frame later: an answer that is there, and that what is shown is of another question.
  if (ready !== null) return { data: ready, error: null, busy: false };
  return answer.key === key ? answer : { ...answer, error: null, busy: true };
}
