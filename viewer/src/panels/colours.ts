// SPDX-License-Identifier: MIT
/** The colours of a graph: whose code it is. */
import { flag, type GraphNode, type Kind, kindIn } from "../api";
import { moduleOf } from "../engine/table";

export const kindNames: Record<Kind, [string, string]> = {
  own: ["own code", "The program, and libraries that are not where the system has its own"],
  library: ["standard library", "That of C++ or OCaml"],
  c: ["C library", "The C library and the start of the program"],
  other: ["other libraries", "Libraries of the system"],
  unknown: ["unknown", "Code without a symbol: its module and address are all that is known"],
};

const shades = 3;

/** FNV-1a: the same name has the same shade in every view and every session. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) {
    h ^= text.charCodeAt(i);
    h = Math.imul(h, 0x01000193);
  }
  return h >>> 0;
}

/** The class of a box: its colour by whose code it is, its shade by namespace. */
export function boxClass(name: string, flags: number, hidden: boolean): string {
  if (hidden) return "box small";
  if (name === "(all)") return "box all";
  const module = moduleOf(name, "").replace(/[.:].*$/, "");
  const shade = hash(module === "" ? name : module) % shades;
  return `box k-${kindIn(flags)} s${shade}${(flags & flag.inlined) !== 0 ? " inlined" : ""}`;
}

/** The kinds that a graph shows, in the order of the legend. */
export function kindsOf(root: GraphNode): Set<Kind> {
  const found = new Set<Kind>();
  const open = [...root[4]];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.add(kindIn(node[1]));
    for (const c of node[4]) open.push(c);
  }
  return found;
}
