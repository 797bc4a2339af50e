// SPDX-License-Identifier: MIT
/** The lines of a source file, with what is allocated in each. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import type { SourceLines, SourceRow } from "../api";
import { csv, download, fileBase } from "../download";
import { inUnit, plural } from "../format";
import { shorten } from "../names";
import type { SourceText } from "../source";
import { change, type State } from "../state";
import { EmptyNote, Hint, Quantity, Shown, Toolbar } from "../widgets/basics";
import { DraftInput } from "../widgets/draft_input";
import { pieces, type Piece } from "./source_pieces";

export function SourcePanel(props: { state: State }) {
  const { state } = props;
  const { trace } = usePage();
  const path = state.get("path");
  const files = useAnswer("table", [
    ...state.selection, ["by", "line"], ["value", state.value], ["sort", "self"], ["limit", "1000"],
  ]);
  const names = useMemo(() => filesOf(files.data?.rows.map((r) => r[0]) ?? []), [files.data]);
  const answer = useAnswer("source", path === null ? null : [...state.selection, ["value", state.value], ["path", path]]);
  return (
    <>
      <Toolbar
        downloads={[
          { name: "CSV", make: () => answer.data && path !== null && download(`${fileBase(trace)}-lines.csv`, "text/csv", linesCsv(path, answer.data)) },
        ]}
      >
        <label class="field inline wide">
          <span>File</span>
          <DraftInput
            id="search" list="files" placeholder="choose or type a file's path" value={path ?? ""}
            onCommit={(file) => change({ path: file || null, line: null })}
          />
        </label>
        <datalist id="files">{names.map((f) => <option key={f} value={f} />)}</datalist>
      </Toolbar>
      <Hint id="source">
        Beside each line stands what is allocated in it: <b>self</b> by the line itself (and by library functions that it
        calls for this), <b>total</b> with all that it calls. Lines without an amount had no sample.
      </Hint>
      {path === null ? (
        <EmptyNote>
          {names.length === 0 ? (
            <>No lines are known in this selection: the program was compiled without debug information (<code>-g</code>), or it was not found.</>
          ) : (
            <>
              Choose a file. Those with the largest lines:{" "}
              {names.slice(0, 8).map((f) => (
                <button key={f} type="button" class="link listed" onClick={() => change({ path: f, line: null })}>{f}</button>
              ))}
            </>
          )}
        </EmptyNote>
      ) : (
        <Shown answer={answer}>{(lines) => <Annotated state={state} path={path} lines={lines} />}</Shown>
      )}
    </>
  );
}

/** Files in the order of their largest lines. */
function filesOf(lines: string[]): string[] {
  const files = lines.map((l) => /^(.+):\d+$/.exec(l)?.[1]);
  return [...new Set(files.filter((f): f is string => f !== undefined))];
}

function linesCsv(path: string, lines: SourceLines): string {
  const columns = ["samples", "blocks", "bytes", "bytes_lower", "bytes_upper", "objects", "objects_lower", "objects_upper"];
  const head = ["self", "total"].flatMap((s) => columns.map((c) => `${s}_${c}`));
  return csv(["file", "line", ...head, "functions"], lines.rows.map(([n, self, total, of]) => [path, n, ...self, ...total, of.join("; ")]));
}

function useText(path: string, known: boolean): SourceText | null {
  const { source } = usePage();
  const [text, set] = useState<{ path: string; text: SourceText } | null>(null);
  useEffect(() => {
    let current = true;
    if (!known) return undefined;
    void source.text(path).then((t) => {
      if (current) set({ path, text: t });
    });
    return () => {
      current = false;
    };
  }, [path, known, source]);
  if (!known) return { why: "no frame of this trace is in such a file" };
  return text?.path === path ? text.text : null;
}

function Annotated(props: { state: State; path: string; lines: SourceLines }) {
  const { state, path } = props;
  const { rows, known } = props.lines;
  const { trace } = usePage();
  const text = useText(path, known);
  const wanted = Number(state.get("line") ?? 0);
  const [opened, open] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => open(new Set()), [path]);
  const shown = useMemo(
    () => (text === null ? [] : pieces("parts" in text ? text.parts : [], rows.map((r) => r[0]), wanted, opened)),
    [text, rows, wanted, opened],
  );
  const byLine = useMemo(() => new Map(rows.map((r) => [r[0], r])), [rows]);
  const largest = Math.max(1e-300, ...rows.map((r) => inUnit(r[2], state.unit, trace.word_bytes)[0]));
  const table = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const line = table.current?.querySelector<HTMLElement>("tr.at") ?? table.current?.querySelector<HTMLElement>("tr.has");
    if (line != null) table.current!.scrollTop = line.offsetTop - table.current!.clientHeight / 2;
  }, [path, wanted, text !== null]);
  if (text === null) return <div class="note waiting" role="status">Reading the source…</div>;
  if (rows.length === 0 && shown.length === 0) {
    return <EmptyNote>No line of {path} has a sample in this selection{"why" in text ? `, and it is not shown: ${text.why}` : ""}.</EmptyNote>;
  }
  return (
    <>
      {"why" in text && <p class="note">Only the numbers of the lines are known here: {text.why}.</p>}
      <div class="scroll" ref={table} tabIndex={0} role="region" aria-label={`Lines of ${path}`}>
        <table class="data source">
          <thead>
            <tr>
              <th scope="col" class="number">Self</th>
              <th scope="col" class="number">Total</th>
              <th scope="col" class="number">Line</th>
              <th scope="col">{path}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((p) => (
              <PieceRow
                key={p.line} piece={p} row={byLine.get(p.line)} state={state} at={p.line === wanted}
                share={(r) => inUnit(r[2], state.unit, trace.word_bytes)[0] / largest}
                onOpen={() => open(new Set([...opened, p.line]))}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function PieceRow(props: {
  piece: Piece; row: SourceRow | undefined; state: State; at: boolean; share: (r: SourceRow) => number; onOpen: () => void;
}) {
  const { piece, row, state } = props;
  if (piece.gap > 0) {
    return (
      <tr class="gap">
        <td colSpan={3} />
        <td>
          {piece.known ? (
            <button type="button" class="link" onClick={props.onOpen}>{plural(piece.gap, "more line")}</button>
          ) : (
            <span class="muted">{plural(piece.gap, "line")} not in this page</span>
          )}
        </td>
      </tr>
    );
  }
  const functions = row === undefined ? "" : row[3].map((f) => shorten(f, 80)).join(", ");
  return (
    <tr class={`${row === undefined ? "" : "has"}${props.at ? " at" : ""}`}>
      <td class="number">{row !== undefined && row[1][0] > 0 && <Quantity amount={row[1]} unit={state.unit} />}</td>
      <td class="number">{row !== undefined && <Quantity amount={row[2]} unit={state.unit} />}</td>
      <td class="number line">{piece.line}</td>
      <td class="code" title={row === undefined ? undefined : row[3].join("\n")}>
        {row !== undefined && <span class="line-bar" style={{ width: `${Math.max(0.5, props.share(row) * 100)}%` }} aria-hidden="true" />}
        <code>{piece.text ?? functions}</code>
      </td>
    </tr>
  );
}
