// SPDX-License-Identifier: MIT
/** The tables of the index, as docs/serve.md has them. */

/** function, file, line, start_char, end_char, flags, module. */
export type Frame = [number, number, number, number, number, number, number?];
export interface Tables {
  functions: string[];
  files: string[];
  /** Paths; "" where none is known. */
  modules: string[];
  frames: Frame[];
  executable: string;
}
