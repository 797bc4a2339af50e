// SPDX-License-Identifier: MIT
/** A colour for each module, so that what belongs together looks alike. Eight, calm, in both themes. */
import { flag } from "../api";
import { moduleOf } from "../engine/table";

export const paletteSize = 8;

/** FNV-1a: the same name has the same colour in every view and every session. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) {
    h ^= text.charCodeAt(i);
    h = Math.imul(h, 0x01000193);
  }
  return h >>> 0;
}

/** The class of a box. */
export function boxClass(name: string, flags: number, hidden: boolean): string {
  if (hidden) return "box small";
  if ((flags & flag.unnamed) !== 0) return "box unnamed";
  if ((flags & flag.allocates) !== 0) return "box allocates";
  if (name === "(all)") return "box all";
  const module = moduleOf(name, "").replace(/[.:].*$/, "");
  const color = hash(module === "" ? name : module) % paletteSize;
  return `box c${color}${(flags & flag.inlined) !== 0 ? " inlined" : ""}`;
}
