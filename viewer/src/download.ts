// SPDX-License-Identifier: MIT
/** Files made of what is shown. */
import { programOf, type Trace } from "./api";

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** As RFC 4180 has it; a text that a spreadsheet would take for a formula gets a quote before it. */
export function csv(head: string[], rows: (string | number)[][]): string {
  const field = (x: string | number) => {
    if (typeof x === "number") return String(x);
    const safe = /^[=+\-@\t\r]/.test(x) ? `'${x}` : x;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return [head, ...rows].map((r) => r.map(field).join(",")).join("\r\n") + "\r\n";
}

/** The base of file names: the program's name, without what file systems dislike. */
export function fileBase(trace: Trace): string {
  return programOf(trace).replace(/[^\w.-]+/g, "_") || "memprof";
}

/** A picture that stands by itself: what the style sheet says is written into the elements. */
export function standaloneSvg(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const properties = [
    "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family",
    "font-weight", "font-style", "text-anchor", "dominant-baseline",
  ];
  const originals = [svg, ...svg.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  originals.forEach((original, k) => {
    const style = getComputedStyle(original);
    for (const p of properties) {
      const value = style.getPropertyValue(p);
      if (value !== "") copies[k].setAttribute(p, value);
    }
    for (const a of ["class", "style", "tabindex"]) copies[k].removeAttribute(a);
  });
  const background = getComputedStyle(document.body).backgroundColor;
  const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  box.setAttribute("width", "100%");
  box.setAttribute("height", "100%");
  box.setAttribute("fill", background);
  copy.prepend(box);
  return new XMLSerializer().serializeToString(copy);
}
