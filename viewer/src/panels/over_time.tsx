// SPDX-License-Identifier: MIT
/** What is in use over time: stacked by who allocated it, by age; and what comes and goes. */
import { useMemo } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import { type Ages, hasThreads, type Stacked } from "../api";
import { csv, download, fileBase } from "../download";
import { duration, quantity } from "../format";
import { shorten } from "../names";
import { change, type State } from "../state";
import { EmptyNote, Hint, Shown, Switch, Toolbar } from "../widgets/basics";
import { Chart, type Line } from "../widgets/chart";
import { Name } from "../widgets/name";
import { lineUnit } from "../widgets/timeline";

const views = ["stacked", "ages", "rates"] as const;
const groupings = ["function", "site", "module", "object", "domain"] as const;
const groupingNames = { function: "Functions", site: "Sites", module: "Namespaces", object: "Objects", domain: "Domains" };

export function OverTimePanel(props: { state: State }) {
  const { state } = props;
  const { trace } = usePage();
  const view = state.choice("view", views);
  const by = state.choice("by", groupings);
  return (
    <>
      <Toolbar>
        <Switch
          label="What is shown"
          value={view}
          options={[
            { value: "stacked", text: "By allocator" },
            { value: "ages", text: "By age" },
            { value: "rates", text: "Rates" },
          ]}
          onChange={(v) => change({ view: v === "stacked" ? null : v })}
        />
        {view === "stacked" && (
          <>
            <Switch
              label="Grouped by"
              value={by}
              options={groupings.filter((g) => g !== "domain" || trace.domains.length > 1).map((g) => ({ value: g, text: g === "domain" && hasThreads(trace) ? "Threads" : groupingNames[g] }))}
              onChange={(v) => change({ by: v === "function" ? null : v })}
            />
            <label class="field inline">
              <span>Rows</span>
              <input
                type="number" min={1} max={30} value={state.get("n") ?? "8"}
                onChange={(e) => change({ n: e.currentTarget.value === "8" ? null : e.currentTarget.value })}
              />
            </label>
          </>
        )}
      </Toolbar>
      {view === "stacked" ? (
        <StackedView state={state} by={by} />
      ) : view === "ages" ? (
        <AgesView state={state} />
      ) : (
        <RatesView state={state} />
      )}
    </>
  );
}

interface Layer {
  name: string;
  samples: number[];
}

/** Layers one upon another, the first at the bottom: each line is the sum up to its layer. */
function StackedChart(props: { state: State; step: number; perSample: number; layers: Layer[]; label: string; ordered: boolean }) {
  const { trace } = usePage();
  const { layers, step } = props;
  const [scale, unit] = lineUnit(props.state.unit, props.perSample, trace.word_bytes);
  const { xs, sums } = useMemo(() => {
    const points = layers[0]?.samples.length ?? 0;
    const xs = Array.from({ length: points }, (_, k) => Math.min((k + 1) * step, trace.duration_us) / 1e6);
    const below = new Array<number>(points).fill(0);
    const sums = layers.map((l) => l.samples.map((s, k) => (below[k] += s * scale)));
    return { xs, sums };
  }, [layers, step, scale]);
  const color = (k: number) =>
    props.ordered ? `--age-${Math.min(k, 7)}` : layers[k].name === "(rest)" ? "--series-all" : `--series-${k % 10}`;
  // The top one first, so that each is painted over those above it.
  const order = layers.map((_, k) => layers.length - 1 - k);
  const lines = order.map((k): Line => ({ label: layers[k].name, color: color(k), width: 1 }));
  // Between two lines; the lowest one down to the axis.
  lines.forEach((l, k) => {
    if (k === lines.length - 1) l.fillColor = `${l.color}-soft`;
  });
  const bands = order.slice(0, -1).map((k, i) => ({ series: [i + 1, i + 2] as [number, number], color: `${color(k)}-soft` }));
  const base = fileBase(trace);
  const readout = (at: number) =>
    [duration(xs[at] * 1e6), ...layers.map((l, k) => ({ l, k })).reverse()
      .filter(({ l }) => l.samples[at] > 0)
      .map(({ l }) => `${shorten(l.name, 40)} ${quantity(l.samples[at] * scale, unit)}`)].join(" · ");
  return (
    <>
      <Chart
        label={props.label}
        xs={xs}
        ys={order.map((k) => sums[k])}
        lines={lines}
        bands={bands}
        height={330}
        xText={(x) => duration(x * 1e6)}
        seconds
        binary={unit === "bytes"}
        yText={(y) => quantity(y, unit)}
        readout={readout}
      />
      <table class="data legend">
        <thead>
          <tr>
            <th scope="col" class="name">{props.ordered ? "Age" : "Allocated by"}</th>
            <th scope="col" class="number">Most</th>
            <th scope="col" class="number">At the end</th>
          </tr>
        </thead>
        <tbody>
          {layers.map((l, k) => ({ l, k })).reverse().map(({ l, k }) => (
            <tr key={l.name}>
              <th scope="row" class="name">
                <span class="swatch" style={{ background: `var(${color(k)})` }} aria-hidden="true" /> <Name text={l.name} />
              </th>
              <td class="number">{quantity(Math.max(0, ...l.samples) * scale, unit)}</td>
              <td class="number">{quantity((l.samples.at(-1) ?? 0) * scale, unit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="below">
        <button
          type="button" class="link"
          onClick={() =>
            download(
              `${base}-over-time.csv`, "text/csv",
              csv(["time_s", ...layers.map((l) => `${l.name} samples`)], xs.map((x, k) => [x, ...layers.map((l) => l.samples[k])])),
            )}
        >
          Download CSV
        </button>
      </p>
    </>
  );
}

function StackedView(props: { state: State; by: string }) {
  const { state } = props;
  const answer = useAnswer("stacked", [...state.selection, ["by", props.by], ["n", state.get("n") ?? "8"], ["points", "300"]]);
  return (
    <>
      <Hint id="stacked">
        The height is what is in use; each band belongs to one allocator, those that hold most at the
        peak. A band that only grows is never freed; one that swells and shrinks again is a queue or a
        phase of the program.
      </Hint>
      <Shown answer={answer}>
        {(s: Stacked) => {
          const layers = s.rows
            .map((r): Layer => ({ name: r.name ?? "(rest)", samples: r.samples }))
            .filter((r) => r.samples.some((x) => x > 0))
            .reverse();
          return layers.length === 0 ? (
            <EmptyNote>Nothing of this selection is ever in use.</EmptyNote>
          ) : (
            <StackedChart state={state} step={s.step_us} perSample={s.bytes_per_sample} layers={layers} ordered={false} label="In use over time, by who allocated it" />
          );
        }}
      </Shown>
    </>
  );
}

function AgesView(props: { state: State }) {
  const { state } = props;
  const answer = useAnswer("ages", [...state.selection, ["points", "300"]]);
  return (
    <>
      <Hint id="ages">
        The height is what is in use; the bands say for how long it has been there already. In a steady
        program all bands stay level. The lowest band is the oldest memory: if it only grows, it is never given back.
      </Hint>
      <Shown answer={answer}>
        {(a: Ages) => {
          const name = (from: number, to: number | null) =>
            to === null ? `${duration(from)} and older` : from === 0 ? `younger than ${duration(to)}` : `${duration(from)} to ${duration(to)}`;
          const layers = a.bands.map((b) => ({ name: name(b.from_us, b.to_us), samples: b.samples })).reverse();
          return <StackedChart state={state} step={a.step_us} perSample={a.bytes_per_sample} layers={layers} ordered label="In use over time, by age" />;
        }}
      </Shown>
    </>
  );
}

function RatesView(props: { state: State }) {
  const { state } = props;
  const { trace } = usePage();
  const answer = useAnswer("series", [...state.selection, ["points", "200"]]);
  const data = answer.data;
  const chart = useMemo(() => {
    if (data === null) return null;
    const [scale, unit] = lineUnit(state.unit, data.bytes_per_sample, trace.word_bytes);
    const perSecond = (s: number) => (s * scale * 1e6) / data.step_us;
    return {
      unit,
      xs: data.allocated.map((_, k) => (k * data.step_us) / 1e6),
      ys: [data.allocated.map(perSecond), data.freed.map(perSecond)],
    };
  }, [data, state.unit]);
  return (
    <>
      <Hint id="rates">
        How much is allocated and freed in each second. Where the lines part, memory grows or shrinks;
        where both are high, much is allocated for a short time.
      </Hint>
      <Shown answer={answer}>
        {() => chart !== null && (
          <Chart
            label="Allocated and freed per second"
            xs={chart.xs}
            ys={chart.ys}
            lines={[
              { label: "allocated", color: "--series-0", stepped: true },
              { label: "freed", color: "--series-1", stepped: true },
            ]}
            height={330}
            xText={(x) => duration(x * 1e6)}
            seconds
            binary={chart.unit === "bytes"}
            yText={(y) => `${quantity(y, chart.unit)}/s`}
          />
        )}
      </Shown>
    </>
  );
}
