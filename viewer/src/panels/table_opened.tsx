// SPDX-License-Identifier: MIT
/** What a row of the table opens to. */
import { useState } from "preact/hooks";
import { useAnswer } from "../answers";
import type { GraphNode, PackedAmount } from "../api";
import { percent, plural } from "../format";
import type { State } from "../state";
import { Quantity } from "../widgets/basics";
import { Name } from "../widgets/name";

export function Bar(props: { self: number; total: number }) {
  const width = (x: number) => `${Math.max(0, Math.min(1, x)) * 100}%`;
  return (
    <span class="bar-box" aria-hidden="true">
      <span class="bar-total" style={{ width: width(props.total) }} />
      <span class="bar-self" style={{ width: width(props.self) }} />
    </span>
  );
}

/** The callers or callees of a row: a tree whose nodes open in their turn. */
export function Opened(props: { name: string; state: State; largest: number; size: (a: PackedAmount) => number }) {
  const { state, name } = props;
  const which = state.choice("open", ["callers", "callees"] as const);
  const answer = useAnswer("around", [...state.selection, ["value", state.value], ["function", name]]);
  const { data } = answer;
  if (data === null) {
    return (
      <tr class="child">
        <td colSpan={4}>{answer.error?.message ?? "…"}</td>
      </tr>
    );
  }
  const root = data[which];
  if (root[4].length === 0) {
    return (
      <tr class="child">
        <td colSpan={4} class="muted">Nothing {which === "callers" ? "calls it here" : "else is called by it"}.</td>
      </tr>
    );
  }
  return <Children node={root} depth={1} {...props} />;
}

function Children(props: {
  node: GraphNode;
  depth: number;
  state: State;
  largest: number;
  size: (a: PackedAmount) => number;
}) {
  return (
    <>
      {props.node[4].map((c) => <Child key={c[0]} {...props} node={c} whole={props.node[3][0]} />)}
      {props.node[5] && (
        <tr class="child">
          <td colSpan={4} class="muted" style={{ paddingLeft: `${props.depth * 18 + 30}px` }}>
            {plural(props.node[5][0], "small one")} hidden
          </td>
        </tr>
      )}
    </>
  );
}

function Child(props: {
  node: GraphNode;
  whole: number;
  depth: number;
  state: State;
  largest: number;
  size: (a: PackedAmount) => number;
}) {
  const [open, set] = useState(false);
  const { node, depth, state, largest, size } = props;
  const more = node[4].length > 0;
  return (
    <>
      <tr class="child">
        <th scope="row" class="name" style={{ paddingLeft: `${depth * 18 + 6}px` }}>
          {more ? (
            <button type="button" class="opener" aria-expanded={open} aria-label={`${open ? "Close" : "Open"} ${node[0]}`} onClick={() => set(!open)}>
              {open ? "▾" : "▸"}
            </button>
          ) : (
            <span class="opener" />
          )}
          <Name text={node[0]} />{" "}
          <span class="muted">{percent(node[3][0] / Math.max(1, props.whole))}</span>
        </th>
        <td class="number"><Quantity amount={node[2]} unit={state.unit} /></td>
        <td class="number"><Quantity amount={node[3]} unit={state.unit} /></td>
        <td class="bar"><Bar self={size(node[2]) / largest} total={size(node[3]) / largest} /></td>
      </tr>
      {open && <Children {...props} depth={depth + 1} />}
    </>
  );
}
