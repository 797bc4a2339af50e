// SPDX-License-Identifier: MIT
/** Live memory over the run: all of it and what is chosen; a range dragged or typed is a filter. */
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import { exitOf, residentAt, residentOf } from "../api";
import { parseTime } from "../engine/amount_syntax";
import { duration, quantity, timeValue, type Unit } from "../format";
import { change, type State } from "../state";
import { ErrorNote } from "./basics";
import { Chart, type Line } from "./chart";
import { remembered } from "./remembered";
import type { Mark } from "./chart_marks";

/** Samples in the unit that lines are drawn in: objects are not known over time. */
export function lineUnit(unit: Unit, perSample: number, word: number): [number, Unit] {
  if (unit === "samples") return [1, "samples"];
  return unit === "words" ? [perSample / word, "words"] : [perSample, "bytes"];
}

export function Timeline(props: { state: State }) {
  const { trace } = usePage();
  const { state } = props;
  const window = state.get("window");
  const answer = useAnswer("series", [...state.selection, ...(window === null ? [] : ([["window", window]] as [string, string][]))]);
  const [height, setHeight] = useHeight();
  const [range, setRange] = useState<[string, string]>(["", ""]);
  const [wrong, setWrong] = useState<string | null>(null);
  const { data } = answer;
  // Of a small selection beside much else one sees nothing: the scale is its own then.
  const alone = state.get("alone") === "1" && data?.filtered != null;
  const [scale, unit] = lineUnit(state.unit, data?.bytes_per_sample ?? 1, trace.word_bytes);
  // As the system counts it. Where it is much more than malloc's, it would press that line down.
  const resident = useMemo(() => residentOf(trace), [trace]);
  const most = Math.max(0, ...(resident?.bytes ?? []).map((b) => b ?? 0));
  const byItself = most > 4 * (data?.peak.amount.bytes[0] ?? 0) ? "0" : "1";
  const withResident = resident !== null && unit !== "samples" && !alone && (state.get("resident") ?? byItself) === "1";
  const columns = useMemo(() => {
    if (data === null) return null;
    const { from_us = 0, filtered } = data;
    const xs = data.total.map((_, k) => Math.min(from_us + (k + 1) * data.step_us, trace.duration_us) / 1e6);
    const total = data.total.map((s) => s * scale);
    const chosen = filtered?.map((s) => s * scale);
    const ys: (number | null)[][] = chosen === undefined ? [total] : alone ? [chosen] : [total, chosen];
    if (withResident) ys.push(xs.map((x) => residentAt(resident, x * 1e6, unit === "words" ? trace.word_bytes : 1)));
    return { xs, ys };
  }, [data, scale, alone, withResident, resident]);
  useLayoutEffect(() => setWrong(null), [range]);

  const parsed = (): [number, number] | null => {
    try {
      return [
        range[0] === "" ? 0 : parseTime("From", range[0]),
        range[1] === "" ? trace.duration_us : parseTime("To", range[1]),
      ];
    } catch {
      return null;
    }
  };
  const apply = (how: "allocated" | "live" | "collected" | "base" | "window") => {
    let ends: [number, number];
    try {
      if (range[0] === "" && range[1] === "") throw new Error("Drag in the chart, or type times");
      const from = range[0] === "" ? 0 : parseTime("From", range[0]);
      const to = range[1] === "" ? trace.duration_us : parseTime("To", range[1]);
      if (from > to || (how === "window" && from === to)) throw new Error("The range is empty");
      ends = [Math.round(from), Math.round(to)];
    } catch (e) {
      setWrong((e as Error).message);
      return;
    }
    setRange(["", ""]);
    if (how === "window") {
      change({ window: ends.join(",") });
      return;
    }
    const names = how === "base" ? "base.allocated" : how;
    change({
      [`${names}-after`]: range[0] || null,
      [`${names}-before`]: range[1] || null,
      zoom: null,
      ...(how === "base" ? { panel: "diff" } : {}),
    });
  };
  const ticks = useMemo(
    () => trace.limits.map((l) => ({ x: l.time_us / 1e6, kind: l.kind })).sort((a, b) => a.x - b.x),
    [trace.limits],
  );
  const shown = range[0] !== "" || range[1] !== "" ? parsed() : null;
  const marks: Mark[] = [];
  if (data !== null && trace.total.allocated.samples > 0) {
    marks.push({ x: data.peak.time_us / 1e6, color: "--muted", text: "peak" });
    if (data.filtered_peak != null) {
      const { time_us } = data.filtered_peak;
      if (Math.abs(time_us - data.peak.time_us) > trace.duration_us / 100) {
        marks.push({ x: time_us / 1e6, color: "--accent", text: "peak of the selection" });
      }
    }
  }
  const since = trace.freed_since_us ?? 0;
  if (since > 0) marks.push({ x: since / 1e6, color: "--muted", text: "watched" });
  const exit = exitOf(trace);
  if (exit !== null) marks.push({ x: exit / 1e6, color: "--muted", text: "exit" });
  const all: Line = { label: "in use", color: data?.filtered == null ? "--accent" : "--series-all", fill: true };
  const chosen: Line = { label: "chosen", color: "--accent", fill: true };
  const lines = data?.filtered == null ? [all] : alone ? [chosen] : [all, chosen];
  if (withResident) lines.push({ label: "resident", color: "--muted", dash: [4, 3] });
  return (
    <section class="timeline" aria-label="Memory in use over time">
      {answer.error !== null && <ErrorNote error={answer.error} />}
      {columns !== null && (
        <Chart
          label={`Memory in use over time${data?.filtered == null ? "" : ": all, and what is chosen"}`}
          xs={columns.xs}
          ys={columns.ys}
          lines={lines}
          height={height}
          xText={(x) => duration(x * 1e6)}
          seconds
          xEnd={(exit ?? 0) / 1e6}
          binary={unit === "bytes"}
          yText={(y) => quantity(y, unit)}
          marks={marks}
          ticks={ticks}
          shade={shown === null ? null : { from: shown[0] / 1e6, to: shown[1] / 1e6 }}
          onRange={(from, to) => {
            const { duration_us } = trace;
            // Round: to a five-hundredth of the run at most.
            const grain = 10 ** Math.floor(Math.log10(Math.max(1, duration_us / 500)));
            const round = (x: number) =>
              Math.max(0, Math.min(duration_us, Math.round((x * 1e6) / grain) * grain));
            setRange([timeValue(round(from)), timeValue(round(to))]);
          }}
        />
      )}
      <form
        class="range"
        aria-label="Range of time"
        onSubmit={(e) => {
          e.preventDefault();
          apply("allocated");
        }}
      >
        <label>
          <span>From</span>
          <input
            type="text" value={range[0]} placeholder="0s" spellcheck={false} id="range-from"
            onInput={(e) => setRange([e.currentTarget.value, range[1]])}
          />
        </label>
        <label>
          <span>To</span>
          <input
            type="text" value={range[1]} placeholder={duration(trace.duration_us)} spellcheck={false}
            id="range-to"
            onInput={(e) => setRange([range[0], e.currentTarget.value])}
          />
        </label>
        <div class="choices" role="group" aria-label="Use the range for">
          <button type="submit" class="button" title="Only blocks allocated in the range">Allocated in</button>
          <button type="button" class="button" title="Only blocks that were there at some time of it" onClick={() => apply("live")}>Live in</button>
          <button type="button" class="button" title="Only blocks freed in it" onClick={() => apply("collected")}>Freed in</button>
          <button type="button" class="button" title="Compare what is chosen with what was allocated in it" onClick={() => apply("base")}>Compare with</button>
        </div>
        <div class="choices" role="group" aria-label="The time line">
          <button type="button" class="button" title="Shows this part of the run alone" onClick={() => apply("window")}>Zoom</button>
          {window !== null && (
            <button type="button" class="button" onClick={() => change({ window: null })}>Whole run</button>
          )}
          {state.isFiltered && (
            <label class="check" title="The scale is that of what is chosen">
              <input type="checkbox" checked={alone} onChange={(e) => change({ alone: e.currentTarget.checked ? "1" : null })} />{" "}
              Chosen alone
            </label>
          )}
          {resident !== null && unit !== "samples" && !alone && (
            <label class="check" title="What the system counts as the process's memory: code, stacks, what was mapped directly, and all of malloc's">
              <input
                type="checkbox" checked={withResident}
                onChange={(e) => {
                  const shown = e.currentTarget.checked ? "1" : "0";
                  change({ resident: shown === byItself ? null : shown });
                }}
              />
              Resident
            </label>
          )}
        </div>
        {wrong !== null && <p class="wrong" role="alert">{wrong}</p>}
      </form>
      <HeightHandle height={height} onHeight={setHeight} />
    </section>
  );
}

const usual = 80;
const [least, most] = [50, 500];
function useHeight(): [number, (height: number) => void] {
  const [height, set] = useState(() => Math.min(most, Math.max(least, Number(remembered.get("timeline") ?? usual) || usual)));
  return [
    height,
    (wanted: number) => {
      const next = Math.round(Math.min(most, Math.max(least, wanted)));
      remembered.set("timeline", next === usual ? null : String(next));
      set(next);
    },
  ];
}

/** To be dragged, or moved with the arrow keys. */
function HeightHandle(props: { height: number; onHeight: (height: number) => void }) {
  const { height, onHeight } = props;
  const begin = (e: PointerEvent) => {
    const bar = e.currentTarget as HTMLElement;
    const from = height - e.clientY;
    bar.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent) => onHeight(from + m.clientY);
    bar.addEventListener("pointermove", move);
    bar.addEventListener("lostpointercapture", () => bar.removeEventListener("pointermove", move), { once: true });
  };
  const key = (e: KeyboardEvent) => {
    const step = { ArrowDown: 20, ArrowUp: -20 }[e.key];
    if (step === undefined) return;
    e.preventDefault();
    onHeight(height + step);
  };
  return (
    <div
      class="handle" role="separator" aria-orientation="horizontal" aria-label="Height of the time line" tabIndex={0}
      aria-valuenow={height} aria-valuemin={least} aria-valuemax={most} title="Drag for another height"
      onPointerDown={begin} onKeyDown={key} onDblClick={() => onHeight(usual)}
    />
  );
}
