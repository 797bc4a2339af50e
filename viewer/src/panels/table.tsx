// SPDX-License-Identifier: MIT
/** Functions, sites, files or modules with what they allocate; rows open to callers or callees. */
import { useMemo, useState } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import { type GraphNode, hasThreads, type PackedAmount, type Place, type Table, type TableRow } from "../api";
import { csv, download, fileBase } from "../download";
import { inUnit, percent, plural } from "../format";
import { change, type State, values } from "../state";
import { EmptyNote, Hint, Quantity, Shown, Switch, Toolbar } from "../widgets/basics";
import { Name, PlaceLink } from "../widgets/name";
import { SortHead } from "../widgets/sort_head";
import { WrapperOffer } from "../widgets/wrapper_offer";

const groupings = ["function", "site", "line", "file", "module", "object", "domain"] as const;
const groupingNames: Record<(typeof groupings)[number], [string, string]> = {
  function: ["Functions", "Each function"],
  site: ["Sites", "Functions, each of their lines by itself"],
  line: ["Lines", "Lines of files, whatever functions they are of"],
  file: ["Files", "Source files; modules where no source is known"],
  module: ["Namespaces", "Namespaces and classes, modules of OCaml"],
  object: ["Objects", "The program and its shared objects"],
  domain: ["Domains", "Each domain of an OCaml program"],
};
const threads: [string, string] = ["Threads", "Each thread; those of like names together, if there are many"];
type Sort = "self" | "total" | "name";

export function TablePanel(props: { state: State }) {
  const { state } = props;
  const { trace } = usePage();
  const by = state.choice("by", groupings);
  const sort = state.choice("sort", ["self", "total", "name"] as const);
  const limit = state.get("limit") ?? "500";
  const answer = useAnswer("table", [
    ...state.selection,
    ["by", by],
    ["value", state.value],
    ["sort", sort === "name" ? "self" : sort],
    ["limit", limit],
  ]);
  const base = fileBase(trace.executable);
  return (
    <>
      <Toolbar
        downloads={[
          { name: "CSV", make: () => answer.data && download(`${base}.csv`, "text/csv", tableCsv(answer.data)) },
          {
            name: "JSON",
            make: () => answer.data && download(`${base}.json`, "application/json", JSON.stringify(answer.data)),
          },
        ]}
      >
        <Switch
          label="Rows"
          value={by}
          options={groupings.filter((g) => g !== "domain" || trace.domains.length > 1).map((g) => [g, g === "domain" && hasThreads(trace) ? threads : groupingNames[g]] as const)
            .map(([value, [text, title]]) => ({ value, text, title }))}
          onChange={(v) => change({ by: v === "function" ? null : v })}
        />
        {by === "function" && (
          <Switch
            label="Rows open to"
            value={state.choice("open", ["callers", "callees"] as const)}
            options={[
              { value: "callers", text: "Open to callers" },
              { value: "callees", text: "Open to callees" },
            ]}
            onChange={(v) => change({ open: v === "callers" ? null : v })}
          />
        )}
        <label class="field inline">
          <span>Search</span>
          <input
            id="search"
            type="search"
            spellcheck={false}
            placeholder="part of a name"
            value={state.get("search") ?? ""}
            onInput={(e) => change({ search: e.currentTarget.value || null }, true)}
          />
        </label>
      </Toolbar>
      <WrapperOffer state={state} />
      <Hint id="table">
        <b>Self</b> is what a function allocates itself; <b>total</b> adds what it calls, each block
        once. After each number stands by how much it may be off, as it was measured by samples: at
        ± 100 % and more it may be nearly nothing. Open a row to see who calls it, or what it calls.
      </Hint>
      <Shown answer={answer}>{(table) => <Rows state={state} table={table} sort={sort} limit={limit} />}</Shown>
    </>
  );
}

function tableCsv(table: Table): string {
  const columns = ["samples", "blocks", "bytes", "bytes_lower", "bytes_upper", "objects", "objects_lower", "objects_upper"];
  const head = ["self", "total"].flatMap((s) => values.flatMap((v) => columns.map((c) => `${s}_${v}_${c}`)));
  const places = table.places.length > 0;
  return csv(
    ["name", ...(places ? ["file", "line"] : []), ...head],
    table.rows.map(([name, self, total], k) => {
      const [file, line] = table.places[k] ?? ["", ""];
      return [name, ...(places ? [file, line] : []), ...self.flat(), ...total.flat()];
    }),
  );
}

function Rows(props: { state: State; table: Table; sort: Sort; limit: string }) {
  const { state, table, sort } = props;
  const { trace } = usePage();
  const v = values.indexOf(state.value);
  const search = (state.get("search") ?? "").toLowerCase();
  const ascending = state.get("reverse") === "1";
  const size = (a: PackedAmount) => inUnit(a, state.unit, trace.word_bytes)[0];
  const places = useMemo(() => new Map(table.rows.map((r, k) => [r[0], table.places[k] ?? null])), [table]);
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
            <th scope="col" class="bar-head">Self and total</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <Row key={r[0]} row={r} place={places.get(r[0]) ?? null} v={v} state={state} largest={largest} size={size} />
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
  v: number;
  state: State;
  largest: number;
  size: (a: PackedAmount) => number;
}) {
  const { row, place, v, state, largest, size } = props;
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
        <td class="bar"><Bar self={size(self[v]) / largest} total={size(total[v]) / largest} /></td>
      </tr>
      {open && <Opened name={name} state={state} largest={largest} size={size} />}
    </>
  );
}

function Bar(props: { self: number; total: number }) {
  const width = (x: number) => `${Math.max(0, Math.min(1, x)) * 100}%`;
  return (
    <span class="bar-box" aria-hidden="true">
      <span class="bar-total" style={{ width: width(props.total) }} />
      <span class="bar-self" style={{ width: width(props.self) }} />
    </span>
  );
}

/** The callers or callees of a row: a tree whose nodes open in their turn. */
function Opened(props: { name: string; state: State; largest: number; size: (a: PackedAmount) => number }) {
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
