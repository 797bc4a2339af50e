// SPDX-License-Identifier: MIT
/** For how long blocks live: a histogram, each block as a point, and curves of survival. */
import { useMemo } from "preact/hooks";
import { useAnswer } from "../answers";
import type { Scatter, Survival } from "../api";
import { duration, percent, plural } from "../format";
import { change, type State } from "../state";
import { EmptyNote, Hint, Shown, Switch, Toolbar } from "../widgets/basics";
import { Chart } from "../widgets/chart";
import { DraftInput } from "../widgets/draft_input";
import { HistogramView } from "./histogram";

const views = ["histogram", "scatter", "survival"] as const;

export function LifetimesPanel(props: { state: State }) {
  const { state } = props;
  const view = state.choice("view", views);
  return (
    <>
      <Toolbar>
        <Switch
          label="What is shown"
          value={view}
          options={[
            { value: "histogram", text: "Histogram" },
            { value: "scatter", text: "Each block" },
            { value: "survival", text: "Survival" },
          ]}
          onChange={(v) => change({ view: v === "histogram" ? null : v })}
        />
        <Switch
          label="Scale"
          value={state.choice("scale", ["log", "linear"] as const)}
          options={[{ value: "log", text: "Logarithmic" }, { value: "linear", text: "Linear" }]}
          onChange={(v) => change({ scale: v === "log" ? null : v })}
        />
      </Toolbar>
      {view === "histogram" ? (
        <HistogramView state={state} what="lifetimes" />
      ) : view === "scatter" ? (
        <ScatterView state={state} />
      ) : (
        <SurvivalView state={state} />
      )}
    </>
  );
}

function ScatterView(props: { state: State }) {
  const { state } = props;
  const answer = useAnswer("scatter", [...state.selection, ["points", "4000"]]);
  const log = state.get("scale") !== "linear";
  return (
    <>
      <Hint id="scatter">
        Each point is a sampled block: to the right when it was allocated, upwards how long it lived. A
        level cloud is steady use. A slope upwards is a queue that falls behind: the later a block
        comes, the longer it waits. The falling edge on the right are blocks that were never freed.
      </Hint>
      <Shown answer={answer}>
        {(s) => (s.points.length === 0 ? <EmptyNote>No sampled block is in this selection.</EmptyNote> : <ScatterChart scatter={s} log={log} />)}
      </Shown>
    </>
  );
}

function ScatterChart(props: { scatter: Scatter; log: boolean }) {
  const { scatter, log } = props;
  const { xs, died, lived } = useMemo(() => {
    const sorted = [...scatter.points].sort((a, b) => a[0] - b[0]);
    const y = (p: (typeof sorted)[number]) => (log ? Math.max(p[1], 1) : p[1]) / 1e6;
    return {
      xs: sorted.map((p) => p[0] / 1e6),
      died: sorted.map((p) => (p[3] === 1 ? y(p) : null)),
      lived: sorted.map((p) => (p[3] === 0 ? y(p) : null)),
    };
  }, [scatter, log]);
  const survivors = lived.filter((y) => y !== null).length;
  return (
    <>
      <Chart
        label="Time of allocation against lifetime"
        xs={xs}
        ys={[died, lived]}
        lines={[
          { label: "freed after", color: "--series-0", dots: true },
          { label: "never freed, seen for", color: "--series-1", dots: true },
        ]}
        height={360}
        logY={log}
        xText={(x) => duration(x * 1e6)}
        yText={(y) => duration(y * 1e6)}
      />
      <p class="muted below">
        <span class="swatch" style={{ background: "var(--series-0)" }} /> freed{" "}
        <span class="swatch" style={{ background: "var(--series-1)" }} /> never freed ({plural(survivors, "point")}).{" "}
        {scatter.points.length < scatter.objects
          ? `${plural(scatter.points.length, "block")} of ${scatter.objects.toLocaleString("en")}, chosen at random.`
          : `All ${plural(scatter.objects, "sampled block")}.`}
      </p>
    </>
  );
}

function SurvivalView(props: { state: State }) {
  const { state } = props;
  const names = state.all("curve");
  const answer = useAnswer("survival", [
    ...state.selection, ...names.map((n): [string, string] => ["functions", n]),
  ]);
  const functions = useAnswer("table", [
    ...state.selection, ["by", "function"], ["value", "allocated"], ["sort", "self"], ["limit", "300"],
  ]);
  return (
    <>
      <Hint id="survival">
        The share of memory that is still there at each age, with its interval of 95 %. A curve that
        falls at once is short-lived garbage; one that stays high is kept. Blocks that were still there
        when the trace ended are counted for as long as they were seen (Kaplan and Meier).
      </Hint>
      <div class="toolbar">
        <label class="field inline wide">
          <span>Compare with function</span>
          <DraftInput
            key={names.length}
            id="search"
            list="curve-functions"
            placeholder="add a curve"
            value=""
            onCommit={(name) => {
              if (name !== "" && !names.includes(name)) change({ curve: [...names, name] });
            }}
          />
        </label>
        <datalist id="curve-functions">
          {functions.data?.rows.map((r) => <option key={r[0]} value={r[0]} />)}
        </datalist>
        {names.map((n) => (
          <span key={n} class="chip">
            <span class="text">{n}</span>
            <button type="button" class="remove" aria-label={`Remove the curve of ${n}`} onClick={() => change({ curve: names.filter((x) => x !== n) })}>
              ×
            </button>
          </span>
        ))}
      </div>
      <Shown answer={answer}>{(s) => <SurvivalChart survival={s} log={state.get("scale") !== "linear"} />}</Shown>
    </>
  );
}

function SurvivalChart(props: { survival: Survival; log: boolean }) {
  const curves = props.survival.curves.filter((c) => c.points.length > 1);
  const { xs, ys } = useMemo(() => {
    const first = props.log ? 1 : 0;
    const all = [...new Set(curves.flatMap((c) => c.points.map((p) => Math.max(first, p[0]))))].sort((a, b) => a - b);
    const columns = curves.flatMap((c) => {
      let k = 0;
      const at = all.map((x) => {
        while (k + 1 < c.points.length && c.points[k + 1][0] <= x) ++k;
        return c.points[k];
      });
      const end = c.points.at(-1)![0];
      const of = (n: 1 | 2 | 3) => at.map((p, i) => (all[i] > end ? null : p[n]));
      return [of(3), of(2), of(1)];
    });
    return { xs: all.map((x) => x / 1e6), ys: columns };
  }, [props.survival, props.log]);
  if (curves.length === 0) return <EmptyNote>No sampled block is in this selection.</EmptyNote>;
  const lines = curves.flatMap((c, k) => {
    const color = `--series-${k % 10}`;
    return [
      { label: "", color, stepped: true, width: 0, hidden: true },
      { label: "", color, stepped: true, width: 0, hidden: true },
      { label: c.name ?? "all chosen", color, stepped: true, width: 1.75 },
    ];
  });
  return (
    <>
      <Chart
        label="Share still in use, by age"
        xs={xs}
        ys={ys}
        lines={lines}
        bands={curves.map((_, k) => ({ series: [3 * k + 1, 3 * k + 2], color: `--series-${k % 10}-faint` }))}
        height={340}
        logX={props.log}
        yMax={1.02}
        xText={(x) => duration(x * 1e6)}
        yText={(y) => percent(y)}
      />
      <p class="muted below">
        {curves.map((c, k) => (
          <span key={k} class="key">
            <span class="swatch" style={{ background: `var(--series-${k % 10})` }} /> {c.name ?? "all chosen"}
          </span>
        ))}
      </p>
    </>
  );
}
