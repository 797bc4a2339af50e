// SPDX-License-Identifier: MIT
/** Answers that were written into a file whose trace is too large to be in it: one selection's. */
import { type Answers, type Parameters, type Route, RouteError, type Source, type Trace } from "../api";
import { selectionNames } from "./names";

/** The parameters that tell the kept answers apart, in the order of their keys. */
const keyed: Partial<Record<Route, string[]>> = {
  graph: ["value", "from"],
  table: ["by", "value"],
  stacked: ["by"],
  folded: ["value"],
};
const usual: Record<string, string> = { value: "allocated", from: "main", by: "function" };
/** What only asks for more or less of the same. */
const indifferent = ["points", "limit", "n", "least", "sort", "bands", "unit"];

export class Frozen implements Source {
  readonly offline = true;
  constructor(
    private readonly trace: Trace,
    private readonly answers: Record<string, unknown>,
  ) {}

  async get<R extends Route>(route: R, parameters: Parameters): Promise<Answers[R]> {
    if (route === "trace") return this.trace as Answers[R];
    const names: string[] = keyed[route] ?? [];
    const other = parameters.filter(
      ([n]) => !names.includes(n) && !indifferent.includes(n) && !selectionNames.includes(n),
    );
    const query = names
      .map((n) => `${n}=${parameters.findLast(([name]) => name === n)?.[1] ?? usual[n]}`)
      .join("&");
    const found = this.answers[`/api/${route}${query === "" ? "" : `?${query}`}`];
    if (found === undefined || other.length > 0 || !this.isOurs(parameters)) {
      throw new RouteError(
        "This file was written for one selection, as its trace is too large to be in it; " +
          "`memprof serve` shows others.",
        null,
        404,
      );
    }
    return found as Answers[R];
  }

  /** Asked for the very selection that the answers are of, or for none. */
  private isOurs(parameters: Parameters): boolean {
    const asked = parameters.filter(([n]) => selectionNames.includes(n));
    const ours = Object.entries(this.trace.frozen ?? {}).flatMap(([n, v]) =>
      [v].flat().map((x): [string, string] => [n, x]),
    );
    const text = (p: Parameters) => new URLSearchParams(p.toSorted()).toString();
    return asked.length === 0 || text(asked) === text(ours);
  }
}
