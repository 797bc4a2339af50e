// SPDX-License-Identifier: MIT
/** The names of the selection's parameters, as docs/serve.md lists them. */
export const selectionNames = [
  "allocated-after", "allocated-before", "live-after", "live-before", "collected-after",
  "collected-before", "live-at", "live-at-peak", "live-at-end", "never-collected", "size-min",
  "size-max", "lifetime-min", "lifetime-max", "freed-within", "function", "not-function", "file", "not-file",
  "heap", "not-heap", "domain", "thread", "hide",
];
