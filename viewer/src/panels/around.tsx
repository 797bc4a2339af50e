// SPDX-License-Identifier: MIT
/** The sandwich: who leads to a function above it, and what it leads to below. */
import { useState } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import { type Around, type GraphNode, unpack } from "../api";
import { download, fileBase } from "../download";
import { shorten } from "../names";
import { change, type State } from "../state";
import { EmptyNote, Hint, Shown, Toolbar } from "../widgets/basics";
import { DraftInput } from "../widgets/draft_input";
import { Details } from "./flame_details";
import { Flame } from "./flame";

export function AroundPanel(props: { state: State }) {
  const { state } = props;
  const { trace } = usePage();
  const focus = state.get("focus");
  const functions = useAnswer("table", [
    ...state.selection, ["by", "function"], ["value", state.value], ["sort", "total"], ["limit", "500"],
  ]);
  const answer = useAnswer(
    "around",
    focus === null ? null : [...state.selection, ["value", state.value], ["function", focus]],
  );
  const base = fileBase(trace);
  return (
    <>
      <Toolbar
        downloads={[
          {
            name: "JSON",
            make: () => answer.data && download(`${base}-around.json`, "application/json", JSON.stringify(answer.data)),
          },
        ]}
      >
        <label class="field inline wide">
          <span>Function</span>
          <DraftInput
            id="search"
            list="functions"
            placeholder="choose or type a function's name"
            value={focus ?? ""}
            onCommit={(name) => change({ focus: name || null })}
          />
        </label>
        <datalist id="functions">
          {functions.data?.rows.map((r) => <option key={r[0]} value={r[0]} />)}
        </datalist>
      </Toolbar>
      <Hint id="around">
        In the middle stands the function. Above it are those that lead to it, its direct callers
        nearest; below it what it calls. Widths are what was allocated under the function, each
        block once, at its outermost call.
      </Hint>
      {focus === null ? (
        <EmptyNote>
          Choose a function. The largest here:{" "}
          {functions.data?.rows.slice(0, 6).map((r) => (
            <button key={r[0]} type="button" class="link listed" onClick={() => change({ focus: r[0] })}>
              {shorten(r[0], 120)}
            </button>
          ))}
        </EmptyNote>
      ) : (
        <Shown answer={answer}>{(around) => <Sandwich state={state} around={around} focus={focus} />}</Shown>
      )}
    </>
  );
}

function Sandwich(props: { state: State; around: Around; focus: string }) {
  const { state, around, focus } = props;
  const [hovered, hover] = useState<{ side: string; path: string[]; node: GraphNode } | null>(null);
  const [selected, select] = useState<{ side: string; path: string[]; node: GraphNode } | null>(null);
  const total = unpack(around.callees[3]);
  if (total.samples === 0) {
    return <EmptyNote>Nothing in this selection was allocated under a function of exactly this name.</EmptyNote>;
  }
  const shown = hovered ?? selected ?? { side: "callees", path: [focus], node: around.callees };
  const go = (path: string[]) => path.length > 0 && change({ focus: path.at(-1)! });
  const flame = (side: "callers" | "callees") => (
    <Flame
      root={around[side]}
      unit={state.unit}
      label={side === "callers" ? `Callers of ${focus}` : `Callees of ${focus}`}
      down={side === "callees"}
      selected={selected?.side === side ? selected.path : null}
      onSelect={(path, node) => select({ side, path, node })}
      onHover={(path, node) => hover(path === null || node === null ? null : { side, path, node })}
      onZoom={go}
      onOut={() => select(null)}
      matches={null}
      idPrefix={side}
    />
  );
  return (
    <div class="graph">
      <div class="graph-main sandwich">
        <h2>Callers</h2>
        {flame("callers")}
        <h2>Callees</h2>
        {flame("callees")}
      </div>
      <Details
        node={shown.node}
        path={shown.path.length === 0 ? [focus] : shown.path}
        unit={state.unit}
        total={total}
        whole={total}
        upwards={shown.side === "callers"}
        lines={
          shown.path.length <= 1
            ? [...state.selection, ["value", state.value], ["function", shown.path.at(-1) ?? focus]]
            : undefined
        }
        onZoom={go}
        onSelect={() => select(null)}
      />
    </div>
  );
}
