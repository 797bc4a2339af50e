// SPDX-License-Identifier: MIT
/**
 * The one state of the page: the parameters in its URL. Filters, panel, direction, zoom, search,
 * sort order, theme are all there, so a link is a view, and back and forward work.
 */
import { useEffect, useState } from "preact/hooks";
import type { Parameters, Value } from "./api";
import { selectionNames } from "./engine/names";
import { type Unit, units } from "./format";

export type Changes = Record<string, string | string[] | null>;

/** Parameters as a list, in order, with repeats. Never changed in place. */
export class State {
  constructor(readonly parameters: Parameters) {}

  static parse(text: string): State {
    return new State([...new URLSearchParams(text.replace(/^[?#]/, ""))]);
  }
  toString(): string {
    return new URLSearchParams(this.parameters).toString();
  }
  all(name: string): string[] {
    return this.parameters.filter(([n]) => n === name).map(([, v]) => v);
  }
  get(name: string): string | null {
    return this.all(name).at(-1) ?? null;
  }
  choice<T extends string>(name: string, allowed: readonly T[]): T {
    const text = this.get(name);
    return allowed.includes(text as T) ? (text as T) : allowed[0];
  }
  has(name: string): boolean {
    return this.parameters.some(([n]) => n === name);
  }
  /** null takes a parameter away; a list gives it more than once. */
  with(changes: Changes): State {
    let rest = this.parameters;
    for (const [name, value] of Object.entries(changes)) {
      const first = rest.findIndex(([n]) => n === name);
      const others = rest.filter(([n]) => n !== name);
      const texts = value === null ? [] : Array.isArray(value) ? value : [value];
      const added = texts.map((v) => [name, v] as [string, string]);
      const at = first < 0 ? others.length : Math.min(first, others.length);
      rest = [...others.slice(0, at), ...added, ...others.slice(at)];
    }
    return new State(rest);
  }

  get selection(): Parameters {
    return this.parameters.filter(([n]) => selectionNames.includes(n));
  }
  get base(): Parameters {
    return this.parameters.filter(([n]) => n.startsWith("base."));
  }
  get isFiltered(): boolean {
    return this.selection.some(([n]) => n !== "hide");
  }
  get value(): Value {
    return this.choice("value", values);
  }
  get unit(): Unit {
    return this.choice("unit", units);
  }
  get zoom(): string[] {
    return this.all("zoom");
  }
  /** Without any filter; what else is shown stays. */
  withoutSelection(): State {
    return new State(
      this.parameters.filter(([n]) => !selectionNames.includes(n) && n !== "zoom"),
    );
  }
}

export const values: readonly Value[] = ["allocated", "in_use", "peak"];
export const valueNames: Record<Value, string> = {
  allocated: "Allocated",
  in_use: "In use at the end",
  peak: "In use at the peak",
};

type Listener = (s: State) => void;

/** Keeps the state in the address: the query if a server sent the page, else the fragment. */
class Store {
  private listeners = new Set<Listener>();
  private current: State;
  private readonly inQuery = location.protocol.startsWith("http");

  constructor() {
    this.current = this.read();
    addEventListener("popstate", () => this.adopt(this.read()));
    addEventListener("hashchange", () => {
      if (!this.inQuery) this.adopt(this.read());
    });
  }
  private read(): State {
    return State.parse(this.inQuery ? location.search : location.hash);
  }
  private adopt(s: State): void {
    if (s.toString() === this.current.toString()) return;
    this.current = s;
    for (const l of this.listeners) l(s);
  }
  get state(): State {
    return this.current;
  }
  /** replace: no step of its own for "back", as for each letter of a search. */
  set(changes: Changes | State, replace = false): void {
    const next = changes instanceof State ? changes : this.current.with(changes);
    if (next.toString() === this.current.toString()) return;
    const text = next.toString();
    const mark = this.inQuery ? "?" : "#";
    const url = text === "" ? location.pathname + (this.inQuery ? "" : "#") : mark + text;
    if (replace) history.replaceState(null, "", url);
    else history.pushState(null, "", url);
    this.adopt(next);
  }
  subscribe(l: Listener): () => void {
    this.listeners.add(l);
    return () => this.listeners.delete(l);
  }
}

let store: Store | null = null;
const theStore = () => (store ??= new Store());

export function useStateOfPage(): State {
  const [state, set] = useState(theStore().state);
  useEffect(() => {
    set(theStore().state);
    return theStore().subscribe(set);
  }, []);
  return state;
}
export const change = (changes: Changes | State, replace = false) =>
  theStore().set(changes, replace);
export const stateNow = () => theStore().state;
/** The address of this view with changes, for links. */
export const addressOf = (changes: Changes) =>
  `${location.protocol.startsWith("http") ? "?" : "#"}${stateNow().with(changes)}`;
