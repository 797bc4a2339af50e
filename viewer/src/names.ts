// SPDX-License-Identifier: MIT
/** Names of functions as they are shown: whole where there is room, else their arguments go first, then the middle. */

const openers = "<([{";
const closers = ">)]}";

/** Where `operator<<` and its like end, if one stands at `at`; else `at`. */
function afterOperator(name: string, at: number): number {
  if (!name.startsWith("operator", at) || /[\w$]/.test(name[at - 1] ?? "")) return at;
  const symbol = /^operator\s*(?:\(\)|\[\]|<=>|<<=|>>=|->\*|->|<<|>>|[-+*/%^&|!=<>]=|&&|\|\||\+\+|--|[-+*/%^&|~!=<>,])/.exec(name.slice(at));
  return symbol === null ? at : at + symbol[0].length;
}

/** Calls `on` for each character with the number of brackets around it; -1: part of an operator's name. */
function scan(name: string, on: (at: number, depth: number) => void): void {
  let depth = 0;
  for (let i = 0; i < name.length; ++i) {
    const after = afterOperator(name, i);
    for (; i < after; ++i) on(i, depth === 0 ? -1 : depth);
    if (i >= name.length) break;
    // Of "->" the ">" closes nothing.
    if (closers.includes(name[i]) && name[i - 1] !== "-") depth = Math.max(0, depth - 1);
    on(i, depth);
    if (openers.includes(name[i])) ++depth;
  }
}

/** `visitor<A, B<C>>::grow` is `visitor‹…›::grow`. What is short stays: `vector<int>`. */
export function withoutArguments(name: string, longest = 8): string {
  let text = "";
  let from = -1;
  scan(name, (at, depth) => {
    if (depth === 0 && name[at] === "<" && at > 0) from = at;
    else if (depth === 0 && name[at] === ">" && from >= 0) {
      const inner = name.slice(from + 1, at);
      text += inner.length <= longest ? `<${inner}>` : "‹…›";
      from = -1;
      return;
    }
    if (from < 0) text += name[at];
  });
  return from >= 0 ? name : text;
}

/** The parts of a name, each with the separator behind it: `a::`, `b<c::d>::`, `e`. */
export function partsOf(name: string): string[] {
  const parts: string[] = [];
  let from = 0;
  scan(name, (at, depth) => {
    if (depth !== 0 || at < from) return;
    const two = name.slice(at, at + 2);
    const length = two === "::" || two === "__" ? 2 : name[at] === "." ? 1 : 0;
    // A name may begin with "__", and end with ".0".
    if (length === 0 || at === from || at + length >= name.length) return;
    if (two === "__" && name[at - 1] === "_") return;
    parts.push(name.slice(from, at + length));
    from = at + length;
  });
  return [...parts, name.slice(from)];
}

function cutMiddle(text: string, room: number): string {
  if (text.length <= room) return text;
  if (room < 14) return `${text.slice(0, Math.max(1, room - 1))}…`;
  const end = Math.floor((room - 1) / 2);
  return `${text.slice(0, room - 1 - end)}…${text.slice(text.length - end)}`;
}

/** Module and address without the build id, which means nothing to people. */
const withoutBuildId = (name: string) => name.replace(/(\+0x[0-9a-f]+)@[0-9a-f]{1,16}$/, "$1");

/** In at most `room` characters: without arguments of templates, then without what is in the middle. */
export function shorten(name: string, room: number): string {
  name = withoutBuildId(name);
  if (name.length <= room) return name;
  const text = withoutArguments(name);
  if (text.length <= room) return text;
  const parts = partsOf(text);
  let kept = parts.pop()!;
  // "(fun)" or "operator()" alone says nothing.
  while (parts.length > 0 && (kept.length < 6 || /^(\(|operator\b)/.test(kept)) && kept.length + 1 < room) {
    kept = parts.pop()! + kept;
  }
  if (kept.length + (parts.length > 0 ? 1 : 0) > room) return cutMiddle(kept, room);
  const first = parts[0] ?? "";
  // Where it begins and where it ends say most.
  if (parts.length > 1 && first.length + 1 + kept.length <= room) {
    parts.shift();
    while (parts.length > 0 && first.length + 1 + parts.at(-1)!.length + kept.length <= room) kept = parts.pop()! + kept;
    return `${first}${parts.length > 0 ? "…" : ""}${kept}`;
  }
  return parts.length > 0 ? `…${kept}` : kept;
}

/** The same, where `room` is in letters of usual width: some are half as wide again. */
export function fitted(name: string, room: number): string {
  const width = (text: string) => text.length + (text.match(/[mwMW…@]/g)?.length ?? 0) / 2;
  let text = shorten(name, room);
  for (let less = room - 1; less >= 3 && width(text) > room && width(text) > 3; --less) text = shorten(name, less);
  return text;
}

/** The end of a path: "parser.cpp:120" of "/srv/src/parser.cpp", 120. */
export const placeText = (file: string, line: number) =>
  `${file.slice(file.lastIndexOf("/") + 1)}${line > 0 ? `:${line}` : ""}`;
