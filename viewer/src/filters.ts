// SPDX-License-Identifier: MIT
/** The filters as chips: what each is called, its fields, what they may hold, how a chip reads. */
import type { Parameters } from "./api";
import { parsePattern, parseSize, parseTime } from "./engine/amount_syntax";
import type { Changes, State } from "./state";

export type FieldKind = "time" | "size" | "pattern" | "heaps" | "domains";
/** usual: what stands in it at first. */
export interface Field {
  name: string;
  label: string;
  kind: FieldKind;
  usual?: string;
}
/** repeats: there may be several, each a chip of its own; flag: there is nothing to type. */
export interface Filter {
  id: string;
  label: string;
  group: string;
  help: string;
  fields: Field[];
  repeats?: boolean;
  flag?: boolean;
}

const range = (id: string, kind: FieldKind, from: string, to: string): Field[] => [
  { name: `${id}-${kind === "time" && id !== "lifetime" ? "after" : "min"}`, label: from, kind },
  { name: `${id}-${kind === "time" && id !== "lifetime" ? "before" : "max"}`, label: to, kind },
];
const times = (id: string) => range(id, "time", "At or after", "At or before");
const text = (id: string, label: string, group: string, help: string): Filter => ({
  id, label, group, help, repeats: true, fields: [{ name: id, label, kind: "pattern" }],
});

export const filters: readonly Filter[] = [
  { id: "allocated", label: "Allocated between", group: "Time", fields: times("allocated"),
    help: "Blocks whose allocation lies in this range." },
  { id: "live", label: "Live between", group: "Time", fields: times("live"),
    help: "Blocks that were there at some time of this range." },
  { id: "live-at", label: "Live at a time", group: "Time",
    fields: [{ name: "live-at", label: "At", kind: "time" }],
    help: "Blocks that were there at this very time." },
  { id: "live-at-peak", label: "Live at the peak", group: "Time", fields: [], flag: true,
    help: "Blocks that were there when most of the whole trace was in use." },
  { id: "live-at-end", label: "Live at the end", group: "Time", fields: [], flag: true,
    help: "Blocks that were still there when the trace ended." },
  { id: "collected", label: "Freed between", group: "Time", fields: times("collected"),
    help: "Blocks freed in this range; those never freed count as freed at the end." },
  { id: "never-collected", label: "Never freed", group: "Time", fields: [], flag: true,
    help: "Blocks that were never freed: the same as live at the end." },
  { id: "lifetime", label: "Lifetime", group: "Block",
    fields: range("lifetime", "time", "At least", "At most"),
    help: "From allocation to being freed; those never freed lived to the end." },
  { id: "size", label: "Size", group: "Block",
    fields: range("size", "size", "At least", "At most"),
    help: "Of one block, without its header." },
  { id: "freed-within", label: "Temporary", group: "Block",
    fields: [{ name: "freed-within", label: "Freed within", kind: "size", usual: "0B" }],
    help: "Freed before its thread had allocated more than this in other blocks: memory that could be reused, or not allocated at all. 0B: nothing was allocated between." },
  { id: "heap", label: "On the heap", group: "Block",
    fields: [{ name: "heap", label: "Heaps", kind: "heaps" }],
    help: "Minor alone: until promotion. Major alone: from promotion on." },
  { id: "not-heap", label: "Not on the heap", group: "Block",
    fields: [{ name: "not-heap", label: "Heaps", kind: "heaps" }],
    help: "The other way round." },
  text("thread", "Thread", "Block",
    "Allocated by a thread whose name contains this, is =NAME, or matches /REGEX/; of several filters, by one of them."),
  { id: "domain", label: "Domain", group: "Block",
    fields: [{ name: "domain", label: "Numbers", kind: "domains" }],
    help: "Blocks allocated by these domains; several with commas." },
  text("function", "Inside function", "Code",
    "Allocated under a function whose name contains this, is =NAME, or matches /REGEX/."),
  text("not-function", "Not inside function", "Code", "Not allocated under any such function."),
  text("file", "Inside file", "Code", "Allocated under code of such a source file."),
  text("not-file", "Not inside file", "Code", "Not allocated under code of such a source file."),
  text("hide", "Hide function", "Code",
    "Leaves such functions out of the stacks; the amounts stay, with their callers."),
];
export const filterOf = (id: string) => filters.find((f) => f.id === id)!;

/** What is wrong with a field's text; null: nothing. */
export function fault(field: Field, value: string): string | null {
  try {
    if (field.kind === "time") parseTime(field.label, value);
    else if (field.kind === "size") parseSize(field.label, value);
    else if (field.kind === "pattern") {
      if (value === "") return `${field.label}: a name is missing`;
      parsePattern(field.label, value);
    } else if (field.kind === "heaps") {
      const wrong = value.split(",").find((h) => !["minor", "major", "external"].includes(h));
      if (value === "") return "Choose a heap at least";
      if (wrong !== undefined) return `'${wrong}' is no heap: minor, major, external`;
    } else if (!/^\d+(,\d+)*$/.test(value)) {
      return `${field.label}: '${value}' is no list of numbers, as 0,2`;
    }
  } catch (e) {
    return (e as Error).message;
  }
  return null;
}

/** Of all fields together: each by itself, something given, and ranges not empty. */
export function faultOf(filter: Filter, given: Record<string, string>): string | null {
  if (filter.flag) return null;
  const used = filter.fields.filter((f) => (given[f.name] ?? "") !== "");
  if (used.length === 0) return "Nothing is given yet";
  for (const f of used) {
    const wrong = fault(f, given[f.name]);
    if (wrong !== null) return wrong;
  }
  if (used.length === 2) {
    const parse = used[0].kind === "time" ? parseTime : parseSize;
    const [from, to] = used.map((f) => parse(f.label, given[f.name]));
    if (from > to) return "The range is empty: it ends before it begins";
  }
  return null;
}

/** A filter that is set. `place` is its number among those of one kind. */
export interface Chip {
  filter: Filter;
  place: number;
  values: Record<string, string>;
  text: string;
}

function describe(filter: Filter, values: Record<string, string>): string {
  if (filter.flag) return filter.label;
  const given = filter.fields.map((f) => values[f.name] ?? "");
  if (filter.fields.length === 2) {
    const name = filter.label.replace(/ between$/, "");
    const [from, to] = given;
    const isTime = filter.group === "Time";
    if (from !== "" && to !== "") return `${name} ${isTime ? "" : "from "}${from} to ${to}`;
    if (from !== "") return `${name} ${isTime ? "from" : "at least"} ${from}${isTime ? " on" : ""}`;
    return `${name} ${isTime ? "until" : "at most"} ${to}`;
  }
  if (filter.id === "live-at") return `Live at ${given[0]}`;
  if (filter.id === "freed-within") return `Temporary: freed within ${given[0]}`;
  return `${filter.label}: ${given[0]}`;
}

export function chipsOf(selection: Parameters): Chip[] {
  const chips: Chip[] = [];
  for (const filter of filters) {
    const of = (name: string) => selection.filter(([n]) => n === name).map(([, v]) => v);
    if (filter.repeats) {
      of(filter.id).forEach((value, place) => {
        const values = { [filter.id]: value };
        chips.push({ filter, place, values, text: describe(filter, values) });
      });
      continue;
    }
    const names = filter.flag ? [filter.id] : filter.fields.map((f) => f.name);
    const found = names.map((n) => [n, of(n).join(",")]).filter(([, v]) => v !== "");
    if (found.length === 0) continue;
    const values = Object.fromEntries(found) as Record<string, string>;
    chips.push({ filter, place: 0, values, text: describe(filter, values) });
  }
  return chips;
}

/** The change of state that sets (or with null takes away) a chip; place -1: a new one. */
export function chipChange(
  state: State,
  filter: Filter,
  place: number,
  values: Record<string, string> | null,
): Changes {
  if (filter.repeats) {
    const list = state.all(filter.id);
    if (values === null) list.splice(place, 1);
    else if (place < 0) list.push(values[filter.id]);
    else list[place] = values[filter.id];
    return { [filter.id]: list };
  }
  const names = filter.flag ? [filter.id] : filter.fields.map((f) => f.name);
  return Object.fromEntries(
    names.map((n) => {
      const value = values === null ? "" : filter.flag ? "1" : (values[n] ?? "").trim();
      return [n, value === "" ? null : value];
    }),
  );
}

/** The selection as the options of the command line, for copying. */
export function commandLine(selection: Parameters): string {
  const quote = (s: string) => (/^[\w@%+=:,./-]+$/.test(s) ? s : `'${s.replace(/'/g, "'\\''")}'`);
  const flags = new Set(filters.filter((f) => f.flag).map((f) => f.id));
  return selection.map(([n, v]) => (flags.has(n) ? `--${n}` : `--${n} ${quote(v)}`)).join(" ");
}
