// SPDX-License-Identifier: MIT
/** Which lines of a file are shown: those with an amount, and some around each. */

/** A line, or where `gap` lines are left out; `known`: they can be shown. */
export interface Piece {
  line: number;
  gap: number;
  known: boolean;
  text: string | null;
}

const around = 8;
/** A gap this small costs as much room as its lines. */
const leastGap = 4;

/**
 * parts: what is known of the text, each with the number of its first line. marked: the lines with an amount; wanted: one
 * more, or 0. opened: the first lines of gaps that are shown all the same.
 */
export function pieces(
  parts: [number, string[]][], marked: number[], wanted: number, opened: ReadonlySet<number>,
): Piece[] {
  const of = [...marked, ...(wanted > 0 ? [wanted] : [])];
  const result: Piece[] = [];
  const put = (line: number, text: string | null) => result.push({ line, gap: 0, known: true, text });
  if (parts.length === 0) {
    for (const line of [...new Set(of)].sort((a, b) => a - b)) put(line, null);
    return result;
  }
  let next = 1;
  for (const [first, lines] of parts) {
    if (first > next) result.push({ line: next, gap: first - next, known: false, text: null });
    // How far each line is from the nearest one of interest.
    const near = new Uint8Array(lines.length);
    for (const m of of) {
      for (let k = Math.max(0, m - around - first); k <= Math.min(lines.length - 1, m + around - first); ++k) near[k] = 1;
    }
    for (let k = 0; k < lines.length; ) {
      let end = k;
      while (end < lines.length && near[end] === 0) ++end;
      const shown = end - k < leastGap || opened.has(first + k);
      if (!shown) result.push({ line: first + k, gap: end - k, known: true, text: null });
      for (let i = k; shown && i < end; ++i) put(first + i, lines[i]);
      for (k = end; k < lines.length && near[k] === 1; ++k) put(first + k, lines[k]);
    }
    next = first + lines.length;
  }
  return result;
}
