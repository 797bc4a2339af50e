// SPDX-License-Identifier: MIT
/** The rows of the table of amounts. */
import { useMemo, useState } from "preact/hooks";
import { usePage } from "../answers";
import type { PackedAmount, Place, Table, TableRow } from "../api";
import { inUnit, percent, plural } from "../format";
import { change, type State, values } from "../state";
import { EmptyNote, Quantity } from "../widgets/basics";
import { Name, PlaceLink } from "../widgets/name";
import { SortHead } from "../widgets/sort_head";
import { Bar, Opened } from "./table_opened";

export const groupings = ["function", "site", "line", "file", "module", "object", "domain"] as const;
type Sort = "self" | "total" | "name";

export function Rows(props: { state: State; table: Table; sort: Sort; limit: string }) {
  const { state, table, sort } = props;
  const { trace } = usePage();
  const v = values.indexOf(state.value);
  const search = (state.get("search") ?? "").toLowerCase();
  const ascending = state.get("reverse") === "1";
  const size = (a: PackedAmount) => inUnit(a, state.unit, trace.word_bytes)[0];
  const places = useMemo(() => new Map(table.rows.map((r, k) => [r[0], table.places[k] ?? null])), [table]);
  const shares = useMemo(
    () => table.allocated && new Map(table.rows.map((r, k) => [r[0], r[1][0][0] / table.allocated![k][0]])),
    [table],
  );
  const rows = useMemo(() => {
    const found = table.rows.filter(([name, , total]) => total[v][0] > 0 && name.toLowerCase().includes(search));
    const key = (r: TableRow) => size((sort === "total" ? r[2] : r[1])[v]);
    found.sort((a, b) => (sort === "name" ? (a[0] < b[0] ? -1 : 1) : key(b) - key(a)));
    return ascending ? found.reverse() : found;
  }, [table, v, search, sort, ascending, state.unit]);
  const largest = Math.max(1e-300, ...table.rows.map((r) => size(r[2][v])));
  const order = (name: Sort) =>
    change(
      sort === name
        ? { reverse: ascending ? null : "1" }
        : { sort: name === "self" ? null : name, reverse: null },
    );
  if (rows.length === 0) {
    return (
      <EmptyNote>
        {table.rows.length === 0 ? "No sampled block is in this selection." : "No row matches; change the search or the value."}
      </EmptyNote>
    );
  }
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of amounts">
      <table class="data">
        <thead>
          <tr>
            <SortHead text="Name" active={sort === "name"} ascending={sort === "name" ? !ascending : ascending} onClick={() => order("name")} />
            <SortHead text="Self" numeric active={sort === "self"} ascending={ascending} onClick={() => order("self")} />
            <SortHead text="Total" numeric active={sort === "total"} ascending={ascending} onClick={() => order("total")} />
            {shares !== undefined && (
              <th scope="col" class="number" title="How much of what it allocates itself is temporary">Of its own</th>
            )}
            <th scope="col" class="bar-head">Self and total</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <Row key={r[0]} row={r} place={places.get(r[0]) ?? null} share={shares?.get(r[0])} v={v} state={state} largest={largest} size={size} />
          ))}
        </tbody>
      </table>
      {table.more > 0 && (
        <p>
          {plural(table.more, "smaller row")} left out.{" "}
          <button type="button" class="link" onClick={() => change({ limit: String(Number(props.limit) * 10) })}>
            Show more
          </button>
        </p>
      )}
    </div>
  );
}

/** A site's function, and what stands behind its line: the columns, where the trace has them. */
function partsOfSite(name: string, place: Place | null): [name: string, columns: string] {
  const text = place === null ? "" : ` ${place[0]}:${place[1]}`;
  const at = place === null ? -1 : name.lastIndexOf(text);
  return at > 0 ? [name.slice(0, at), name.slice(at + text.length)] : [name, ""];
}

function Row(props: {
  row: TableRow;
  place: Place | null;
  share: number | undefined;
  v: number;
  state: State;
  largest: number;
  size: (a: PackedAmount) => number;
}) {
  const { row, place, share, v, state, largest, size } = props;
  const [open, set] = useState(false);
  const [name, self, total] = row;
  const opens = state.choice("by", groupings) === "function";
  const ofSite = opens ? [name, ""] : partsOfSite(name, place);
  const line = state.get("by") === "line" ? /^(.+):(\d+)$/.exec(name) : null;
  return (
    <>
      <tr>
        <th scope="row" class="name">
          {opens ? (
            <button
              type="button"
              class="opener"
              aria-expanded={open}
              aria-label={`${open ? "Close" : "Open"} ${name}`}
              onClick={() => set(!open)}
            >
              {open ? "▾" : "▸"}
            </button>
          ) : null}
          {opens ? (
            <Name text={name} title="Sandwich: its callers and callees" onClick={() => change({ panel: "around", focus: name })} />
          ) : (
            <Name text={ofSite[0]} />
          )}
          {place !== null && <PlaceLink file={place[0]} line={place[1]} more={place[2]} />}
          {ofSite[1] !== "" && <span class="muted columns">{ofSite[1]}</span>}
          {line !== null && <PlaceLink file={line[1]} line={Number(line[2])} />}
        </th>
        <td class="number"><Quantity amount={self[v]} unit={state.unit} /></td>
        <td class="number"><Quantity amount={total[v]} unit={state.unit} /></td>
        {share !== undefined && <td class="number">{percent(share)}</td>}
        <td class="bar"><Bar self={size(self[v]) / largest} total={size(total[v]) / largest} /></td>
      </tr>
      {open && <Opened name={name} state={state} largest={largest} size={size} />}
    </>
  );
}
