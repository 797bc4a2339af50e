// SPDX-License-Identifier: MIT
/** Small parts that all panels share. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Amount, PackedAmount } from "../api";
import { usePage } from "../answers";
import { inUnit, interval, plusMinus, quantity, type Unit } from "../format";
import { isFaint } from "../statistics";
import { remembered } from "./remembered";

/** One of a few, as a row of buttons that are radio buttons. */
export function Switch<T extends string>(props: {
  label: string;
  options: readonly { value: T; text: string; title?: string }[];
  value: T;
  onChange: (value: T) => void;
}) {
  const name = `switch-${props.label.replace(/\W+/g, "-")}`;
  return (
    <fieldset class="switch">
      <legend class="unseen">{props.label}</legend>
      {props.options.map((o) => (
        <label key={o.value} title={o.title} class={o.value === props.value ? "on" : ""}>
          <input
            type="radio"
            name={name}
            value={o.value}
            checked={o.value === props.value}
            onChange={() => props.onChange(o.value)}
          />
          {o.text}
        </label>
      ))}
    </fieldset>
  );
}

/** An amount in the unit chosen, and by how much it may be off. */
export function Quantity(props: { amount: Amount | PackedAmount; unit: Unit; plain?: boolean }) {
  const { trace } = usePage();
  const e = inUnit(props.amount, props.unit, trace.word_bytes);
  const samples = Array.isArray(props.amount) ? props.amount[0] : props.amount.samples;
  const exact = e[1] === e[2];
  const title = exact
    ? undefined
    : `${interval(e, props.unit)} with 95 %, from ${samples.toLocaleString("en")} samples`;
  return (
    <span class={`quantity${!exact && isFaint(e) ? " faint" : ""}`} title={title}>
      <span class="value">{quantity(e[0], props.unit)}</span>
      {!props.plain && !exact && <span class="error">{plusMinus(e)}</span>}
    </span>
  );
}

export function ErrorNote(props: { error: Error }) {
  return (
    <div class="note bad" role="alert">
      <strong>This cannot be shown.</strong> {props.error.message}
    </div>
  );
}
export function EmptyNote(props: { children: ComponentChildren }) {
  return <div class="note">{props.children}</div>;
}

/** A panel's content: its last answer while a new one is under way, or why there is none. */
export function Shown<T>(props: {
  answer: { data: T | null; error: Error | null; busy: boolean };
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, busy } = props.answer;
  if (error !== null) return <ErrorNote error={error} />;
  if (data === null) {
    return busy ? (
      <div class="note waiting" role="status">
        Reading the trace…
      </div>
    ) : null;
  }
  return (
    <div class={busy ? "shown busy" : "shown"} aria-busy={busy}>
      {props.children(data)}
    </div>
  );
}

/** How to read a panel: open the first time, a word to click later. */
export function Hint(props: { id: string; children: ComponentChildren }) {
  const key = `hint-${props.id}`;
  const [open, set] = useState(() => remembered.get(key) === null);
  const put = (next: boolean) => {
    remembered.set(key, next ? null : "read");
    set(next);
  };
  if (!open) {
    return (
      <button type="button" class="link hint-button" onClick={() => put(true)}>
        How to read this
      </button>
    );
  }
  return (
    <aside class="hint" aria-label="How to read this">
      <p>{props.children}</p>
      <button type="button" class="link" onClick={() => put(false)}>
        Got it
      </button>
    </aside>
  );
}

/** The row above a panel: controls on the left, downloads on the right. */
export function Toolbar(props: { children: ComponentChildren; downloads?: Download[] }) {
  return (
    <div class="toolbar">
      {props.children}
      {props.downloads !== undefined && props.downloads.length > 0 && (
        <span class="downloads">
          <span class="muted">Download</span>
          {props.downloads.map((d) => (
            <button key={d.name} type="button" class="link" onClick={d.make}>
              {d.name}
            </button>
          ))}
        </span>
      )}
    </div>
  );
}
export interface Download {
  name: string;
  make: () => void;
}
