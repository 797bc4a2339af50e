// SPDX-License-Identifier: MIT
/** Which sites' young blocks outlive the minor heap. */
import { useMemo } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import type { Promotion } from "../api";
import { csv, download, fileBase } from "../download";
import { inUnit, percent } from "../format";
import { change, type State } from "../state";
import { EmptyNote, Hint, Quantity, Shown, Toolbar } from "../widgets/basics";
import { Name } from "../widgets/name";
import { SortHead } from "../widgets/sort_head";

type Row = Promotion["rows"][number];
type Sort = "promoted" | "minor" | "share";

export function PromotionPanel(props: { state: State }) {
  const { state } = props;
  const { trace } = usePage();
  const answer = useAnswer("promotion", [...state.selection, ["limit", "300"]]);
  const base = fileBase(trace);
  const save = () =>
    answer.data &&
    download(`${base}-promotion.csv`, "text/csv",
      csv(["site", "minor_samples", "minor_bytes", "promoted_samples", "promoted_bytes", "share", "share_lower", "share_upper"],
        answer.data.rows.map((r) => [r[0], r[1][0], r[1][2], r[2][0], r[2][2], r[3], r[4], r[5]])));
  return (
    <>
      <Toolbar downloads={[{ name: "CSV", make: () => void save() }]}>
        <span class="muted">By allocation site</span>
      </Toolbar>
      <Hint id="promotion">
        New blocks begin on the minor heap, which is cheap to clean; what is still needed then is
        promoted to the major heap, which is not. A site that promotes much and frees it soon after
        costs most: look whether its blocks can be freed earlier. The share has an interval, too.
      </Hint>
      <Shown answer={answer}>{(p) => <Rows state={state} promotion={p} />}</Shown>
    </>
  );
}

function Rows(props: { state: State; promotion: Promotion }) {
  const { state, promotion } = props;
  const { trace } = usePage();
  const sort = state.choice("sort", ["promoted", "minor", "share"] as const);
  const ascending = state.get("reverse") === "1";
  const rows = useMemo(() => {
    const size = (r: Row, k: 1 | 2) => inUnit(r[k], state.unit, trace.word_bytes)[0];
    // By the share that is sure: one of one sample says nothing.
    const key = (r: Row) => (sort === "share" ? r[4] : size(r, sort === "minor" ? 1 : 2));
    const sorted = [...promotion.rows].sort((a, b) => key(b) - key(a));
    return ascending ? sorted.reverse() : sorted;
  }, [promotion, sort, ascending, state.unit]);
  if (rows.length === 0) {
    return <EmptyNote>Nothing in this selection was allocated on a minor heap: only traces of OCaml programs and of nurseries have one.</EmptyNote>;
  }
  const order = (name: Sort) =>
    change(sort === name ? { reverse: ascending ? null : "1" } : { sort: name, reverse: null });
  const head = (name: Sort, text: string) => (
    <SortHead text={text} numeric active={sort === name} ascending={ascending} onClick={() => order(name)} />
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Promotion by site">
      <table class="data">
        <thead>
          <tr>
            <th scope="col" class="name">Site</th>
            {head("minor", "Minor allocations")}
            {head("promoted", "Promoted")}
            {head("share", "Share promoted")}
            <th scope="col" class="bar-head">Share and its interval</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r[0]}>
              <th scope="row" class="name"><Name text={r[0]} /></th>
              <td class="number"><Quantity amount={r[1]} unit={state.unit} /></td>
              <td class="number"><Quantity amount={r[2]} unit={state.unit} /></td>
              <td class="number">{percent(r[3])}</td>
              <td class="bar" title={`${percent(r[4])} to ${percent(r[5])}`}>
                <span class="bar-box" aria-hidden="true">
                  <span class="bar-interval" style={{ left: `${r[4] * 100}%`, width: `${Math.max(0.5, (r[5] - r[4]) * 100)}%` }} />
                  <span class="bar-point" style={{ left: `${r[3] * 100}%` }} />
                </span>
                <span class="unseen">{percent(r[4])} to {percent(r[5])}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
