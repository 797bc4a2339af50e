// SPDX-License-Identifier: MIT
/** Amounts in the words of src/offline/analysis/amount_text. */

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** As printf has it: what lies in the middle goes to the even digit. */
function fixed(value: number, digits: number): string {
  if ((value * 2 ** (digits + 1)) % 2 !== 1) return value.toFixed(digits);
  const below = Math.floor(value * 10 ** digits);
  return ((below + (below % 2)) / 10 ** digits).toFixed(digits);
}
function threeDigits(value: number, unit: string): string {
  return `${fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)} ${unit}`;
}

export function bytesText(bytes: number): string {
  if (!Number.isFinite(bytes)) return "?";
  if (bytes < 0) return `-${bytesText(-bytes)}`;
  if (bytes < 1023.5) return `${fixed(bytes, 0)} B`;
  let i = 0;
  while (i + 1 < units.length && bytes >= 1023.5) {
    bytes /= 1024;
    ++i;
  }
  return threeDigits(bytes, units[i]);
}
export function percentText(part: number, whole: number): string {
  return whole > 0 ? `${fixed((100 * part) / whole, 1)} %` : "-";
}
export function countText(count: number): string {
  return fixed(count, 0).replace(/\B(?=(\d{3})+$)/g, ",");
}
/** Of microseconds. */
export function durationText(us: number): string {
  us = Math.trunc(us);
  if (us < 1000) return `${us} us`;
  if (us < 999_500) return threeDigits(us / 1e3, "ms");
  if (us < 119.5e6) return threeDigits(us / 1e6, "s");
  const seconds = Math.round(us / 1e6);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
