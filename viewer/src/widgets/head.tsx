// SPDX-License-Identifier: MIT
/** Whose trace this is, and what of it is chosen: the totals choose the value that is shown. */
import { useAnswer, usePage } from "../answers";
import { type Amount, isProgram, programOf, type Trace, unpack, type Value } from "../api";
import {
  bytes, date, duration, inUnit, interval, percent, plural, plusMinus, quantity, rate, timeValue, type Unit, units,
} from "../format";
import { change, type State, valueNames, values } from "../state";
import { Switch } from "./basics";
import { FilterBar } from "./filter_bar";
import { toggleTheme, useTheme } from "./theme";

export function Head(props: { state: State; onHelp: () => void }) {
  const { trace, source, serverGone } = usePage();
  const theme = useTheme();
  const perSample = bytes(trace.word_bytes / trace.sample_rate);
  const thinned = trace.file_sample_rate / trace.sample_rate;
  const notes = trace.notes ?? {};
  const name = programOf(trace);
  const resident = Number(notes.resident_peak ?? 0);
  const attached = notes.attached ? Number(notes.attached) : null;
  const facts: [string, string, string?][] = [
    ["ran", duration(trace.duration_us)],
    ...(resident > 0
      ? [["resident", `${bytes(resident)} at most`,
          `In memory, as the system counts it. ${bytes(trace.total.peak.bytes[0])} was in use by malloc at its peak${attached === null ? "" : ", without what it had before the recorder attached"}; the rest is code, stacks, what was mapped directly, and what malloc keeps.`] as [string, string, string]]
      : []),
    ...(attached !== null
      ? [["attached", `${duration(attached)} after it began`, "Blocks that it had by then are not in this trace."] as [string, string, string]]
      : []),
    ["rate", `${rate(trace.file_sample_rate)}${thinned > 1 ? ` / ${thinned}` : ""}`,
      `Each word is a sample with this probability: one sample for ${perSample}. An amount below a few samples is uncertain.`],
    isProgram(trace)
      ? ["shows", plural(trace.objects, "sampled block"), "Of the running program itself."]
      : ["trace", plural(trace.objects, "sampled block"),
          `${trace.file}: ${bytes(trace.bytes)}, ${plural(trace.events, "event")}; ${plural(trace.kept_objects, "block")} in this page`],
    ...(trace.context ? [["context", trace.context] as [string, string]] : []),
    ...(notes.command ? [["command", notes.command] as [string, string]] : []),
    ...(notes.ended ? [["ended", notes.ended] as [string, string]] : []),
    ["pid", String(trace.pid)],
    ["host", trace.host],
    ["started", date(trace.start_time_us)],
  ];
  return (
    <header class="head">
      <div class="band">
        <div class="title">
          <h1 title={trace.executable}>{name}</h1>
          <dl title={facts.map(([k, v]) => `${k}: ${v}`).join("\n")}>
            {facts.map(([k, v, title]) => (
              <div key={k} title={title}>
                <dt>{k}</dt>
                <dd>{v}</dd>
              </div>
            ))}
          </dl>
        </div>
        <Totals state={props.state} />
        <FilterBar state={props.state} />
        <span class="tools">
          {source.offline && <span class="badge" title="The trace is within this file">offline file</span>}
          {trace.growing && !serverGone && <span class="badge live">live</span>}
          {serverGone && (
            <span class="badge gone" role="status" title={`${isProgram(trace) ? "The program" : "`memprof serve`"} does not answer. The page goes on with what it has.`}>
              server gone
            </span>
          )}
          <button
            type="button"
            class="button"
            onClick={toggleTheme}
            aria-label={`Theme: ${theme}. Switch to ${theme === "dark" ? "light" : "dark"}.`}
          >
            {theme === "dark" ? "Light" : "Dark"}
          </button>
          <button type="button" class="button" onClick={props.onHelp} aria-keyshortcuts="?">
            Help
          </button>
        </span>
      </div>
      {trace.damage !== null && (
        <p class="banner" role="alert">
          The file is damaged; what stands before the damage is shown. {trace.damage}
        </p>
      )}
      {isProgram(trace) && <OfProgram trace={trace} />}
      {thinned > 1 && <Thinned of={thinned} rate={trace.sample_rate} program={isProgram(trace)} />}
      {trace.stack_ends != null && (
        <p class="banner thinned">
          The stacks are deep and each is different: of stacks of more than {2 * trace.stack_ends} calls the page shows the
          outermost {trace.stack_ends} and the innermost {trace.stack_ends}. <code>memprof top</code> and the other
          reports take whole stacks.
        </p>
      )}
    </header>
  );
}

/** A trace of more blocks than a page can handle. */
function Thinned(props: { of: number; rate: number; program: boolean }) {
  return (
    <p class="banner thinned">
      {props.program ? "The program has many blocks" : "The trace is large"}: the page shows one of {props.of} samples, as if
      the rate had been {rate(props.rate)}. Nothing is biased, but the intervals are wider.{" "}
      {props.program
        ? <>Profiles (<code>/debug/pprof/heap</code>) take all samples.</>
        : <><code>memprof top</code> and the other reports take all samples.</>}
    </p>
  );
}

/** What a running program knows of its past. */
function OfProgram(props: { trace: Trace }) {
  const since = props.trace.freed_since_us ?? 0;
  return (
    <p class="banner thinned">
      A running program. What it freed is here from {duration(since)} on, the mark "watched": the curve before has only
      blocks that still lived then. For lifetimes choose <em>Allocated after {timeValue(since)}</em>.
    </p>
  );
}

const explain: Record<Value, string> = {
  allocated: "All that was ever allocated, freed or not. Each block counts its size in whole words, and one word more for its header.",
  in_use: "What was never freed.",
  peak: "What was in use when most of the chosen blocks was: half of the samples says when, the other half how much. The highest point of the curve is above it, by chance.",
};

function Totals(props: { state: State }) {
  const { state } = props;
  return (
    <div class="totals" role="radiogroup" aria-label="Value shown">
      {values.map((v) => <Total key={v} value={v} state={state} />)}
      <Switch
        label="Unit"
        value={state.unit}
        options={units.map((u) => ({ value: u, text: u }))}
        onChange={(unit: Unit) => change({ unit: unit === "bytes" ? null : unit })}
      />
    </div>
  );
}

function Total(props: { value: Value; state: State }) {
  const { trace } = usePage();
  const { state, value } = props;
  // The smallest answer that has the selection's total.
  const answer = useAnswer(
    "graph",
    state.isFiltered ? [...state.selection, ["value", value], ["least", "1"]] : null,
  );
  const whole = trace.total[value];
  const shown: Amount | null = state.isFiltered
    ? answer.data === null ? null : unpack(answer.data.total)
    : whole;
  let e = shown === null ? null : inUnit(shown, state.unit, trace.word_bytes);
  const all = inUnit(whole, state.unit, trace.word_bytes);
  // What cannot be, and is chance: half of the samples speak of each moment of the peak.
  const asAtEnd = value === "peak" && !state.isFiltered && whole.bytes[0] < trace.total.in_use.bytes[0];
  if (asAtEnd && e !== null) {
    const end = inUnit(trace.total.in_use, state.unit, trace.word_bytes);
    e = [e[0], Math.max(e[1], end[1]), Math.max(e[2], end[2])];
  }
  // So few samples that none of the half that speaks was there: what all of them together say.
  const unseen = value === "peak" && !state.isFiltered && !asAtEnd && state.unit !== "samples" &&
    whole.samples === 0 && trace.total.allocated.samples > 0;
  if (unseen && e !== null) {
    const scale = { bytes: 1, words: trace.word_bytes, objects: null, samples: null }[state.unit];
    e = [0, 0, scale === null ? inUnit(trace.total.allocated, state.unit, trace.word_bytes)[2] : trace.never_over / scale];
  }
  const on = state.value === value;
  const step = (e: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (by === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    const next = values[(values.indexOf(value) + by + values.length) % values.length];
    change({ value: next === "allocated" ? null : next });
    const buttons = (e.currentTarget as HTMLElement).parentElement!.querySelectorAll("button");
    buttons[values.indexOf(next)].focus();
  };
  return (
    <button
      type="button"
      role="radio"
      aria-checked={on}
      tabIndex={on ? 0 : -1}
      class={`total${on ? " on" : ""}${answer.busy ? " busy" : ""}`}
      title={`${explain[value]}${e === null ? "" : ` ${interval(e, state.unit)}, with 95 %.`}`}
      onClick={() => change({ value: value === "allocated" ? null : value })}
      onKeyDown={step}
    >
      <span class="name">
        {valueNames[value]}
        <span class="of">
          {state.isFiltered && e !== null
            ? `${percent(all[0] > 0 ? e[0] / all[0] : 0)} of ${quantity(all[0], state.unit)}`
            : e === null ? "" : interval(e, state.unit)}
        </span>
      </span>
      <span class="number">
        {e === null ? "…" : asAtEnd ? "about as at the end" : unseen ? `at most ${quantity(e[2], state.unit)}` : quantity(e[0], state.unit)}
        {e !== null && !asAtEnd && !unseen && <span class="error">{plusMinus(e)}</span>}
      </span>
    </button>
  );
}
