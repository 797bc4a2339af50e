// SPDX-License-Identifier: MIT
/** Times, sizes and name patterns as the command line reads them (tools/selection_options). */
import { RouteError } from "../api";

const number = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/;

function split(text: string): [number, string] | null {
  const m = number.exec(text);
  return m === null ? null : [Number(m[0]), text.slice(m[0].length).replace(/^ +/, "")];
}
const refuse = (name: string, text: string, why: string) =>
  new RouteError(`${name}: '${text}' ${why}`, name);

const timeUnits: Record<string, number> = { us: 1, ms: 1e3, s: 1e6, "": 1e6, min: 60e6, h: 3600e6 };

/** Microseconds; a number alone is seconds. */
export function parseTime(name: string, text: string): number {
  const parts = split(text);
  if (parts === null) throw refuse(name, text, "is no time");
  const unit = timeUnits[parts[1]];
  if (unit === undefined) throw refuse(name, text, "has no unit of time: us ms s min h");
  if (parts[0] * unit >= 2 ** 62) throw refuse(name, text, "is too long a time");
  return Math.round(parts[0] * unit);
}

const sizeUnits: Record<string, number> = {
  B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, w: 8, kw: 8e3, Mw: 8e6,
};

export function parseSize(name: string, text: string): number {
  const parts = split(text);
  if (parts === null) {
    throw refuse(name, text, /^-\d/.test(text) ? "is negative" : "is not a number");
  }
  const unit = sizeUnits[parts[1]];
  if (unit === undefined) {
    throw refuse(name, text, "needs a unit: B KiB MiB GiB TiB, or w kw Mw (words of 8 bytes)");
  }
  const size = Math.ceil(parts[0] * unit);
  if (size >= 2 ** 63) throw refuse(name, text, "is more than 63 bits hold");
  return size;
}

export type Matcher = (name: string) => boolean;

/** "NAME" is contained, "=NAME" equal, "/REGEX/" found. */
export function parsePattern(name: string, text: string): Matcher {
  let wanted = text;
  const after = (mark: string) => {
    if (!text.startsWith(mark)) return false;
    wanted = text.slice(mark.length);
    return true;
  };
  const slashes = text.length > 2 && text.startsWith("/") && text.endsWith("/");
  if (slashes) wanted = text.slice(1, -1);
  else if (after("contains:")) return (x) => x.includes(wanted);
  else if (after("equals:") || after("=")) return (x) => x === wanted;
  if (slashes || after("regex:")) {
    let regex: RegExp;
    try {
      regex = new RegExp(wanted);
    } catch (e) {
      const why = e instanceof Error ? e.message.replace(/^.*: /, "") : String(e);
      throw refuse(name, text, `is no regular expression: ${why}`);
    }
    return (x) => regex.test(x.slice(0, 1024));
  }
  return (x) => x.includes(wanted);
}
