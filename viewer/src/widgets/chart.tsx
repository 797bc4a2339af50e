// SPDX-License-Identifier: MIT
/** A chart: uPlot in the colours of the page, with a readout below it and keys to move along. */
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { alpha, cssColor, drawMarks, type Marks, ticksAt } from "./chart_marks";
import { useTheme } from "./theme";

export interface Line {
  label: string;
  /** A custom property of the style sheet, as "--series-1". */
  color: string;
  fill?: boolean;
  /** A custom property, if it is not a shade of the line's colour. */
  fillColor?: string;
  bars?: boolean;
  dots?: boolean;
  stepped?: boolean;
  dash?: number[];
  width?: number;
  hidden?: boolean;
}
export interface ChartProps extends Marks {
  label: string;
  xs: number[];
  ys: (number | null)[][];
  lines: Line[];
  bands?: { series: [number, number]; color: string }[];
  height: number;
  xText: (x: number) => string;
  yText: (y: number) => string;
  /** Ticks at powers of two and their halves, as bytes want them. */
  binary?: boolean;
  /** What stands in the readout for a place; else xText and each line's value. */
  readout?: (at: number) => string;
  /** Of bars: from where to where each goes. */
  edges?: [number, number][];
  logX?: boolean;
  logY?: boolean;
  yMax?: number;
  /** The x axis is of seconds: beyond two minutes its ticks are at halves and wholes of minutes. */
  seconds?: boolean;
  /** Where the axis ends if all of xs are one place, which has no width. */
  xEnd?: number;
  onRange?: (from: number, to: number) => void;
}

const minutes = [30, ...[1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440, 10_080, 43_200].map((m) => 60 * m)];
const binarySteps = Array.from({ length: 60 }, (_, k) => 2 ** k);
const font = '11px system-ui, "Segoe UI", "Noto Sans", sans-serif';

/** uPlot's own bars are as wide as the narrowest one: of no use on a logarithmic scale. */
const barsBetween =
  (edges: () => [number, number][]): uPlot.Series.PathBuilder =>
  (u, series, first, last) => {
    const fill = new Path2D();
    const bottom = u.valToPos(0, "y", true);
    const least = u.scales.x.min ?? 0;
    for (let k = first; k <= last; ++k) {
      const y = u.data[series][k];
      const edge = edges()[k];
      if (y == null || y <= 0 || edge === undefined) continue;
      const from = u.valToPos(Math.max(edge[0], least), "x", true);
      const to = u.valToPos(edge[1], "x", true);
      const top = u.valToPos(y, "y", true);
      fill.rect(from + 0.5, top, Math.max(1, to - from - 1), bottom - top);
    }
    return { fill, stroke: null };
  };

function ends(edges: [number, number][], log: boolean): [number, number] {
  const from = edges[0]?.[0] ?? 0;
  const to = edges.at(-1)?.[1] ?? 1;
  return log ? [Math.max(from, edges[0]?.[1] / 2 || 1), to] : [from, to];
}

/** uPlot's own extent goes on to 100 where all is in one place. */
export function extent(from: number, to: number, end = 0): [number, number] {
  if (to > from) return [from, to];
  return end > from ? [from, end] : [from, from + 1];
}
const inMinutes = (p: ChartProps) => p.seconds === true && (p.xs.at(-1) ?? 0) > 120;
/** Of an extent that was made up nothing is written at the axis. */
const hasWidth = (p: ChartProps) => Math.max(p.xs.at(-1) ?? 0, p.xEnd ?? 0) > (p.xs[0] ?? 0);

/** "500 ms", "1 s", "1.5 s" and not "1.00 s": an axis has room for what differs only. */
export const tick = (text: string) => text.replace(/\.0+(?=\D|$)/, "").replace(/(\.\d*[1-9])0+(?=\D|$)/, "$1");

function optionsOf(p: ChartProps, width: number, onIndex: (i: number | null) => void): uPlot.Options {
  const grid = { stroke: cssColor("--grid"), width: 1 };
  const ticks = { stroke: cssColor("--grid"), width: 1, size: 4 };
  const axis = { stroke: cssColor("--muted"), font, grid, ticks };
  return {
    width: Math.max(100, width),
    height: p.height,
    legend: { show: false },
    padding: [8, 26, 0, 0],  // half of the last tick's text
    cursor: {
      y: false,
      drag: { x: p.onRange !== undefined, y: false, setScale: false },
      points: { size: 6 },
    },
    scales: {
      x: {
        time: false,
        ...(p.logX ? { distr: 3 as const, log: 10 as const } : {}),
        ...(p.edges !== undefined
          ? { range: () => ends(p.edges ?? [], p.logX === true) }
          : p.logX ? {} : { range: () => extent(p.xs[0] ?? 0, p.xs.at(-1) ?? 0, p.xEnd) }),
      },
      y: p.logY
        ? { distr: 3, log: 10 }
        : { range: (_u, _min, max) => [0, p.yMax ?? Math.max(max * 1.08, 1e-9)] },
    },
    axes: [
      {
        ...axis, size: 26, gap: 3,
        ...(inMinutes(p) ? { incrs: minutes } : {}),
        values: (_u, v) => v.map((x) => (x == null || !hasWidth(p) ? "" : tick(p.xText(x)))),
      },
      {
        // A line that is low still has a number beside it.
        ...axis, size: 74, gap: 4, space: Math.min(30, Math.max(12, p.height / 4)),
        ...(p.binary && !p.logY ? { incrs: binarySteps } : {}),
        values: (_u, v) => v.map((y) => (y == null ? "" : tick(p.yText(y)))),
      },
    ],
    series: [
      {},
      ...p.lines.map((l): uPlot.Series => {
        const color = cssColor(l.color);
        const paths = l.bars
          ? barsBetween(() => p.edges ?? [])
          : l.stepped
            ? uPlot.paths.stepped?.({ align: 1 })
            : undefined;
        return {
          label: l.label,
          stroke: l.dots ? undefined : color,
          width: l.width ?? (l.hidden || l.bars ? 0 : 1.25),
          fill: l.fillColor
            ? cssColor(l.fillColor)
            : l.fill || l.bars
              ? alpha(color, l.bars ? 0.8 : 0.3)
              : undefined,
          dash: l.dash,
          points: l.dots
            ? { show: true, size: 4, fill: alpha(color, 0.55), stroke: "transparent", width: 0 }
            : { show: false },
          ...(paths === undefined ? (l.dots ? { paths: () => null } : {}) : { paths }),
        };
      }),
    ],
    bands: p.bands?.map((b) => ({ series: b.series, fill: cssColor(b.color) })),
    hooks: {
      setCursor: [(u) => onIndex(u.cursor.idx ?? null)],
      setSelect: [
        (u) => {
          if (p.onRange === undefined || u.select.width < 3) return;
          p.onRange(
            u.posToVal(u.select.left, "x"),
            u.posToVal(u.select.left + u.select.width, "x"),
          );
        },
      ],
      draw: [(u) => drawMarks(u, p)],
    },
  };
}

export function Chart(props: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [index, setIndex] = useState<number | null>(null);
  const theme = useTheme();
  const shape = JSON.stringify([
    props.lines, props.bands, props.binary, props.logX, props.logY, props.yMax,
    props.onRange !== undefined, theme, inMinutes(props),
  ]);
  useEffect(() => {
    const box = frame.current!;
    const p = () => latest.current;
    // Functions are looked up when they are needed, so that a new answer needs no new chart.
    const live: ChartProps = {
      ...props,
      xText: (x) => p().xText(x),
      yText: (y) => p().yText(y),
      onRange: props.onRange && ((a, b) => p().onRange?.(a, b)),
      get edges() { return p().edges; },
      get xs() { return p().xs; },
      get xEnd() { return p().xEnd; },
      get marks() { return p().marks; },
      get ticks() { return p().ticks; },
      get shade() { return p().shade; },
    };
    const u = new uPlot(
      optionsOf(live, box.clientWidth, setIndex),
      [props.xs, ...props.ys] as uPlot.AlignedData,
      box,
    );
    plot.current = u;
    const resized = new ResizeObserver(() => {
      if (box.clientWidth > 0) u.setSize({ width: box.clientWidth, height: latest.current.height });
    });
    resized.observe(box);
    return () => {
      resized.disconnect();
      u.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => {
    const width = frame.current!.clientWidth;
    if (width > 0) plot.current?.setSize({ width, height: props.height });
  }, [props.height]);
  useEffect(() => {
    plot.current?.setData([props.xs, ...props.ys] as uPlot.AlignedData);
  }, [props.xs, props.ys]);
  useEffect(() => {
    if (props.shade == null) plot.current?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    plot.current?.redraw(false);
  }, [JSON.stringify(props.shade), JSON.stringify(props.marks), props.ticks]);

  const move = (e: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[e.key];
    const u = plot.current;
    if (step === undefined || u === null || props.xs.length === 0) return;
    e.preventDefault();
    e.stopPropagation();
    const next = Math.max(0, Math.min(props.xs.length - 1, (index ?? -1) + step));
    u.setCursor({ left: u.valToPos(props.xs[next], "x"), top: 10 });
    setIndex(next);
  };
  const text = index === null || index >= props.xs.length ? null : describe(props, index, plot.current);
  return (
    <div class="chart">
      <div
        class="plot"
        ref={frame}
        role="application"
        aria-roledescription="chart"
        aria-label={`${props.label}. Left and right move along it.`}
        tabIndex={0}
        onKeyDown={move}
      />
      <output class="readout" aria-live="polite">
        {text ?? <span class="muted">{props.label}</span>}
      </output>
    </div>
  );
}

function describe(p: ChartProps, at: number, u: uPlot | null): string {
  if (p.readout !== undefined) return p.readout(at);
  const parts = p.lines
    .map((l, k) => [l.hidden ? "" : l.label, p.ys[k][at]] as const)
    .filter(([label, y]) => label !== "" && y != null)
    .map(([label, y]) => `${label} ${p.yText(y!)}`);
  const cursor = u?.cursor.left;
  const pointed = u != null && cursor != null && cursor >= 0 ? u.posToVal(cursor, "x") : p.xs[at];
  const near = u != null ? u.posToVal(6, "x") - u.posToVal(0, "x") : 0;
  const hits = ticksAt(p.ticks ?? [], pointed, near);
  return [p.xText(p.xs[at]), ...parts, ...(hits === "" ? [] : [hits])].join(" · ");
}
