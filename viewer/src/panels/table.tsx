// SPDX-License-Identifier: MIT
/** Functions, sites, files or modules with what they allocate; rows open to callers or callees. */
import { useAnswer, usePage } from "../answers";
import { hasThreads, type Table, type Trace } from "../api";
import { csv, download, fileBase } from "../download";
import { bytes } from "../format";
import { change, type State, values } from "../state";
import { Hint, Shown, Switch, Toolbar } from "../widgets/basics";
import { WrapperOffer } from "../widgets/wrapper_offer";
import { groupings, Rows } from "./table_rows";

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
  const base = fileBase(trace);
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
      {state.get("freed-within") !== null && <Temporary within={state.get("freed-within")!} trace={trace} />}
      <Shown answer={answer}>{(table) => <Rows state={state} table={table} sort={sort} limit={limit} />}</Shown>
    </>
  );
}

/** What the trace can know of it, as `memprof temporary` says. */
function Temporary(props: { within: string; trace: Trace }) {
  const { trace, within } = props;
  const between = bytes(trace.word_bytes / trace.file_sample_rate);
  return (
    <p class="muted">
      Temporary: freed before their threads had allocated more than {within} in other blocks
      {trace.file_sample_rate >= 1
        ? "; exact, at rate 1."
        : `, as far as samples say. One comes with each ${between} in the mean, so a block that lived while W bytes were allocated may pass for one freed at once, with a chance of exp(−W / ${between}).`}
    </p>
  );
}

function tableCsv(table: Table): string {
  const columns = ["samples", "blocks", "bytes", "bytes_lower", "bytes_upper", "objects", "objects_lower", "objects_upper"];
  const head = ["self", "total"].flatMap((s) => values.flatMap((v) => columns.map((c) => `${s}_${v}_${c}`)));
  const places = table.places.length > 0;
  return csv(
    ["name", ...(places ? ["file", "line"] : []), ...head, ...(table.allocated ?? []).slice(0, 1).flatMap(() => columns.map((c) => `all_${c}`))],
    table.rows.map(([name, self, total], k) => {
      const [file, line] = table.places[k] ?? ["", ""];
      return [name, ...(places ? [file, line] : []), ...self.flat(), ...total.flat(), ...(table.allocated?.[k] ?? [])];
    }),
  );
}
