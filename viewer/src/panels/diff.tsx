// SPDX-License-Identifier: MIT
/** What changed from a base (a range of time, or a second trace) to what is chosen. */
import { useMemo, useState } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import { type Diff, type DiffRow, type RouteError } from "../api";
import { csv, download, fileBase } from "../download";
import { parseTime } from "../engine/amount_syntax";
import { bytes, duration, percent, signed, timeValue } from "../format";
import { shorten } from "../names";
import { change, type State } from "../state";
import { EmptyNote, Hint, Shown, Switch, Toolbar } from "../widgets/basics";
import { DraftInput } from "../widgets/draft_input";
import { SortHead } from "../widgets/sort_head";
import { DiffGraph } from "./diff_graph";

const compares = ["self", "total", "paths"] as const;
const normalizes = ["none", "total", "duration"] as const;

export function DiffPanel(props: { state: State }) {
  const { state } = props;
  const { trace } = usePage();
  const compare = state.choice("compare", compares);
  const answer = useAnswer(
    "diff",
    state.base.length === 0 ? null : [
      ...state.selection,
      ...state.base,
      ["value", state.value],
      ["compare", compare],
      ["by", state.choice("by", ["function", "site", "file", "module"] as const)],
      ["normalize", state.choice("normalize", normalizes)],
    ],
  );
  const base = fileBase(trace);
  const save = () => answer.data && download(`${base}-diff.csv`, "text/csv",
    csv(["name", "before_bytes", "after_bytes", "standard_error", "chance", "significant"], answer.data.rows));
  return (
    <>
      <Toolbar downloads={answer.data === null ? [] : [
        { name: "CSV", make: () => void save() },
        { name: "JSON", make: () => download(`${base}-diff.json`, "application/json", JSON.stringify(answer.data)) },
      ]}>
        <Base state={state} />
        <Switch
          label="Compared"
          value={compare}
          options={[{ value: "self", text: "Self" }, { value: "total", text: "Total" }, { value: "paths", text: "Paths" }]}
          onChange={(v) => change({ compare: v === "self" ? null : v })}
        />
        <Switch
          label="Normalised"
          value={state.choice("normalize", normalizes)}
          options={[
            { value: "none", text: "As it is" },
            { value: "total", text: "Same total", title: "As if both had the same in all" },
            { value: "duration", text: "Per second", title: "By the length of each trace" },
          ]}
          onChange={(v) => change({ normalize: v === "none" ? null : v })}
        />
      </Toolbar>
      <Hint id="diff">
        From the base to what is chosen by the filters above. Orange with a plus is growth, blue with a
        minus shrinkage. Faint rows may well be chance: with so many rows, only those marked as sure
        would be named wrongly in less than one of twenty reports.
      </Hint>
      {state.base.length === 0 ? (
        <EmptyNote>
          There is nothing to compare with yet. Give the base a range of time above, or drag a range in
          the chart and choose <b>Compare with</b>
          {trace.other !== null && ", or choose the second trace"}.{" "}
          <button type="button" class="button" onClick={() => {
            const half = timeValue(Math.round(trace.duration_us / 2));
            change({ "base.allocated-before": half, "allocated-after": half });
          }}>
            Compare the halves of the run
          </button>
        </EmptyNote>
      ) : (
        <Shown answer={answer}>
          {(diff) => (
            <>
              <Summary diff={diff} />
              {diff.graph !== null && <DiffGraph root={diff.graph} />}
              <Rows diff={diff} state={state} />
            </>
          )}
        </Shown>
      )}
    </>
  );
}

function Base(props: { state: State }) {
  const { state } = props;
  const { trace } = usePage();
  const [wrong, setWrong] = useState<string | null>(null);
  const field = (name: string, text: string, placeholder: string) => (
    <label class="field inline">
      <span>{text}</span>
      <DraftInput
        id={name.replace(".", "-")}
        placeholder={placeholder}
        value={state.get(name) ?? ""}
        size={8}
        onCommit={(value) => {
          try {
            if (value !== "") parseTime(text, value);
            setWrong(null);
            change({ [name]: value || null });
          } catch (error) {
            setWrong((error as RouteError).message);
          }
        }}
      />
    </label>
  );
  return (
    <fieldset class="base">
      <legend>Base</legend>
      {trace.other !== null && (
        <label class="check">
          <input
            type="checkbox" checked={state.get("base.other") === "1"}
            onChange={(e) => change({ "base.other": e.currentTarget.checked ? "1" : null })}
          />{" "}
          second trace ({trace.other.file})
        </label>
      )}
      {field("base.allocated-after", "allocated from", "0s")}
      {field("base.allocated-before", "to", duration(trace.duration_us))}
      {state.base.length > 0 && (
        <button type="button" class="link" onClick={() => {
          change(Object.fromEntries(state.base.map(([n]) => [n, null])));
        }}>
          Clear
        </button>
      )}
      {wrong !== null && <span class="wrong" role="alert">{wrong}</span>}
    </fieldset>
  );
}

function Summary(props: { diff: Diff }) {
  const [, before, after, error, , sure] = props.diff.total;
  return (
    <p class="summary">
      In all: {bytes(before)} before, {bytes(after)} after: <b class={after > before ? "more" : "less"}>{signed(after - before)}</b>{" "}
      <span class="muted">(± {bytes(1.96 * error)}{sure ? ", sure" : ", may be chance"})</span>
    </p>
  );
}

function Rows(props: { diff: Diff; state: State }) {
  const { diff, state } = props;
  const sort = state.choice("sort", ["change", "before", "after", "name"] as const);
  const ascending = state.get("reverse") === "1";
  const rows = useMemo(() => {
    const key = (r: DiffRow) =>
      sort === "before" ? r[1] : sort === "after" ? r[2] : Math.abs(r[2] - r[1]);
    const sorted = [...diff.rows].sort((a, b) => sort === "name" ? (a[0] < b[0] ? -1 : 1) : key(b) - key(a));
    return (ascending ? sorted.reverse() : sorted).slice(0, 1000);
  }, [diff, sort, ascending]);
  const largest = Math.max(1e-300, ...diff.rows.map((r) => Math.abs(r[2] - r[1])));
  const order = (name: typeof sort) =>
    change(sort === name ? { reverse: ascending ? null : "1" } : { sort: name, reverse: null });
  const head = (name: typeof sort, text: string, numeric = true) => (
    <SortHead text={text} numeric={numeric} active={sort === name} ascending={name === "name" ? !ascending : ascending} onClick={() => order(name)} />
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Changes">
      <table class="data">
        <thead>
          <tr>
            {head("name", "Name", false)}
            {head("before", "Before")}
            {head("after", "After")}
            {head("change", "Change")}
            <th scope="col" class="number">Chance</th>
            <th scope="col" class="bar-head">Less · more</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, before, after, error, chance, sure]) => {
            const d = after - before;
            const width = (Math.abs(d) / largest) * 50;
            return (
              <tr key={name} class={sure ? "" : "faint"}>
                <th scope="row" class="name"><PathName text={name} /></th>
                <td class="number">{bytes(before)}</td>
                <td class="number">{bytes(after)}</td>
                <td class="number" title={`± ${bytes(1.96 * error)}`}>
                  <span class={d > 0 ? "more" : "less"}>{signed(d)}</span> <span class="error">± {bytes(1.96 * error)}</span>
                </td>
                <td class="number">{sure ? "sure" : percent(chance)}</td>
                <td class="bar">
                  <span class="bar-box middle" aria-hidden="true">
                    <span class={d > 0 ? "bar-more" : "bar-less"} style={{ left: `${d > 0 ? 50 : 50 - width}%`, width: `${width}%` }} />
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A path, its last function first: callers may be cut off. */
function PathName(props: { text: string }) {
  const parts = props.text.split(";");
  const last = parts.pop() ?? "";
  return (
    <span class="name-text" title={props.text.replaceAll(";", "\n")}>
      {shorten(last, 140)}
      {parts.length > 0 && <span class="muted"> ‹ {parts.reverse().map((p) => shorten(p, 40)).join(" ‹ ")}</span>}
    </span>
  );
}
