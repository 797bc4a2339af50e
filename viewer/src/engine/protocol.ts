// SPDX-License-Identifier: MIT
/** What the page and its worker say to each other. */
import { type Parameters, type Route, RouteError, type Trace } from "../api";

/** Where an index comes from: the server's routes, or the text of an offline page. */
export type From = { url: string; otherUrl: string | null } | { packed: string };

export type Request =
  | { id: number; load: From }
  | { id: number; route: Route; parameters: Parameters }
  /** Nobody waits for that answer any more. */
  | { id: number; drop: true };

export type Reply =
  | { id: number; bytes: number; of: number }
  | { id: number; trace: Trace }
  | { id: number; answer: unknown }
  | { id: number; error: string; parameter: string | null; status: number };

/** A page below /debug/memprof/ is of a program that shows itself. */
export const serverGone = (url: string) =>
  new RouteError(
    `The server does not answer. Is ${url.includes("/debug/memprof/") ? "the program" : "`memprof serve`"} still running?`,
    null, 0,
  );
