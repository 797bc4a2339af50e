// SPDX-License-Identifier: MIT
/** What the colours of a graph say, of those that it has. */
import { useMemo } from "preact/hooks";
import { type GraphNode, kinds } from "../api";
import { kindNames, kindsOf } from "./colours";

export function Legend(props: { root: GraphNode }) {
  const found = useMemo(() => kindsOf(props.root), [props.root]);
  return (
    <ul class="kinds" aria-label="Colours">
      {kinds.filter((k) => found.has(k)).map((k) => (
        <li key={k} title={kindNames[k][1]}>
          <span class={`swatch k-${k}`} aria-hidden="true" /> {kindNames[k][0]}
        </li>
      ))}
    </ul>
  );
}
