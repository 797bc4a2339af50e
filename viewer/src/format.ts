// SPDX-License-Identifier: MIT
/** Numbers as people read them: three significant digits, the unit beside them. */
import type { Amount, Estimate, PackedAmount } from "./api";

const binary = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const decimal = ["", "k", "M", "G", "T", "P"];

function digits(x: number): string {
  const a = Math.abs(x);
  if (a === 0) return "0";
  if (a >= 99.95) return x.toFixed(0);
  if (a >= 9.995) return x.toFixed(1);
  return x.toFixed(2);
}
function scaled(x: number, step: number, units: string[]): [string, string] {
  let u = 0;
  // What would be rounded to a full step is written as one of the next unit.
  while (u + 1 < units.length && Math.abs(x) >= step * (step === 1000 ? 0.9995 : 0.99951)) {
    x /= step;
    ++u;
  }
  if (u === 0 && Number.isInteger(x)) return [String(x), units[0]];
  return [digits(x), units[u]];
}

export function bytes(x: number): string {
  return scaled(x, 1024, binary).join(" ");
}
export function signed(x: number): string {
  return `${x > 0 ? "+" : x < 0 ? "−" : ""}${bytes(Math.abs(x))}`;
}
export function count(x: number): string {
  const [n, unit] = scaled(x, 1000, decimal);
  return n + (unit === "" ? "" : ` ${unit}`);
}
export function percent(share: number): string {
  const p = share * 100;
  if (!Number.isFinite(p)) return "–";
  if (p === 0) return "0 %";
  const a = Math.abs(p);
  if (a < 0.01) return p < 0 ? "> −0.01 %" : "< 0.01 %";
  return `${a >= 99.95 ? p.toFixed(0) : a >= 9.995 ? p.toFixed(1) : p.toFixed(2)} %`;
}
/** A sampling rate, as the options take it: 0.5, 1e-4, 2.5e-6. */
export function rate(x: number): string {
  return x === 0 || x >= 0.01 ? String(x) : Number(x.toPrecision(6)).toExponential();
}
/** Of microseconds. */
export function duration(us: number): string {
  const a = Math.abs(us);
  if (a < 1) return us === 0 ? "0" : `${digits(us)} µs`;
  if (a < 999.5) return `${Number.isInteger(us) ? us : digits(us)} µs`;
  if (a < 999_500) return `${digits(us / 1e3)} ms`;
  if (a < 120e6) return `${digits(us / 1e6)} s`;
  if (a < 7200e6) return `${digits(us / 60e6)} min`;
  return `${digits(us / 3600e6)} h`;
}
/** As the selection's fields take it, to the microsecond. */
export function timeValue(us: number): string {
  const whole = Math.round(us);
  if (whole % 1000 !== 0) return whole < 1e6 ? `${whole}us` : `${whole / 1e6}s`;
  return whole < 1e6 ? `${whole / 1000}ms` : `${whole / 1e6}s`;
}
export function date(us: number): string {
  return `${new Date(us / 1000).toISOString().replace("T", " ").slice(0, 19)} UTC`;
}

export type Unit = "bytes" | "words" | "objects" | "samples";
export const units: readonly Unit[] = ["bytes", "words", "objects", "samples"];

export function inUnit(a: Amount | PackedAmount, unit: Unit, wordBytes: number): Estimate {
  const [samples, bytesOf, objects]: [number, Estimate, Estimate] = Array.isArray(a)
    ? [a[0], [a[2], a[3], a[4]], [a[5], a[6], a[7]]]
    : [a.samples, a.bytes, a.objects];
  switch (unit) {
    case "bytes": return bytesOf;
    case "words": return bytesOf.map((x) => x / wordBytes) as Estimate;
    case "objects": return objects;
    case "samples": return [samples, samples, samples];
  }
}
export function quantity(x: number, unit: Unit): string {
  if (unit === "bytes") return bytes(x);
  const name = unit === "words" ? "w" : "";
  const text = count(x);
  return name === "" ? text : text.includes(" ") ? text + name : `${text} ${name}`;
}
/** "3.51 MiB to 9.12 MiB", for tool tips and screen readers. */
export function interval([value, lower, upper]: Estimate, unit: Unit): string {
  return lower === upper && lower === value
    ? "exact"
    : `${quantity(lower, unit)} to ${quantity(upper, unit)}`;
}
/** The wider side of the interval, rounded up, by which the value may be off: "± 12 %". */
export function plusMinus([value, lower, upper]: Estimate): string {
  if (lower === upper) return "";
  if (value <= 0) return "";
  return `± ${percentUp(Math.max(upper - value, value - lower) / value)}`;
}
function percentUp(share: number): string {
  const p = share * 100;
  const digits = p >= 10 ? 0 : p >= 1 ? 1 : 2;
  const unit = 10 ** digits;
  // Not one more for the last digit of a quotient.
  return `${(Math.ceil(p * unit * (1 - 1e-12)) / unit).toFixed(digits)} %`;
}
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
