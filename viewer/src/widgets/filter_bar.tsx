// SPDX-License-Identifier: MIT
/** The filters that are set, as chips; the menu that adds one; the form that edits one. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePage } from "../answers";
import { hasThreads } from "../api";
import {
  type Chip, type Field, type Filter, chipChange, chipsOf, commandLine, fault, faultOf, filters,
} from "../filters";
import { change, type State } from "../state";

interface Editing {
  filter: Filter;
  place: number;
  values: Record<string, string>;
}

const examples: Record<Field["kind"], string> = {
  time: "300ms, 1.5s or 2min",
  size: "100B, 4KiB or 1MiB",
  pattern: "part of a name, =whole name or /regex/",
  heaps: "",
  domains: "0 or 0,2",
};

export function FilterBar(props: { state: State }) {
  const chips = chipsOf(props.state.selection);
  const [editing, edit] = useState<Editing | null>(null);
  const [menu, setMenu] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const done = () => {
    edit(null);
    setMenu(false);
    adder.current?.focus();
  };
  const set = (filter: Filter, place: number, values: Record<string, string> | null) =>
    change({ ...chipChange(props.state, filter, place, values), zoom: null });
  const choose = (filter: Filter) => {
    setMenu(false);
    if (filter.flag) {
      set(filter, 0, {});
      adder.current?.focus();
      return;
    }
    const there = filter.repeats ? undefined : chips.find((c) => c.filter === filter);
    const usual = Object.fromEntries(filter.fields.map((f) => [f.name, f.usual ?? ""]));
    edit({ filter, place: filter.repeats ? -1 : 0, values: there?.values ?? usual });
  };
  return (
    <section class="filters" aria-label="Filters">
      <ul class="chips">
        {chips.map((c) => (
          <li key={`${c.filter.id}/${c.place}`} class="chip">
            <ChipText chip={c} onEdit={() => edit(c)} />
            <button
              type="button"
              class="remove"
              aria-label={`Remove the filter: ${c.text}`}
              onClick={() => set(c.filter, c.place, null)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <span class="anchor">
        <button
          ref={adder}
          id="add-filter"
          type="button"
          class="button"
          aria-haspopup="menu"
          aria-expanded={menu}
          onClick={() => setMenu(!menu)}
        >
          + Filter
        </button>
        {menu && <Menu onChoose={choose} onClose={done} />}
        {editing !== null && (
          <Form
            key={`${editing.filter.id}/${editing.place}`}
            editing={editing}
            onDone={(values) => {
              set(editing.filter, editing.place, values);
              done();
            }}
            onClose={done}
          />
        )}
      </span>
      {chips.length > 0 && (
        <>
          <button type="button" class="link" onClick={() => change(props.state.withoutSelection())}>
            Clear all
          </button>
          <button
            type="button"
            class="link"
            title={`memprof top FILE ${commandLine(props.state.selection)}`}
            onClick={() => void navigator.clipboard?.writeText(commandLine(props.state.selection))}
          >
            Copy as options
          </button>
        </>
      )}
    </section>
  );
}

function ChipText(props: { chip: Chip; onEdit: () => void }) {
  const { chip } = props;
  if (chip.filter.flag) return <span class="text">{chip.text}</span>;
  return (
    <button type="button" class="text" title={`Edit: ${chip.filter.help}`} onClick={props.onEdit}>
      {chip.text}
    </button>
  );
}

function Menu(props: { onChoose: (f: Filter) => void; onClose: () => void }) {
  const { trace } = usePage();
  const list = useRef<HTMLDivElement>(null);
  const items = () => [...list.current!.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  // Not after the next frame: a key may come before it.
  useLayoutEffect(() => items()[0].focus(), []);
  const key = (e: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[e.key];
    e.stopPropagation();
    if (e.key === "Escape" || e.key === "Tab") {
      e.preventDefault();
      props.onClose();
    } else if (step !== undefined) {
      e.preventDefault();
      all[(at + step + all.length) % all.length].focus();
    }
  };
  const offered = filters.filter(
    (f) =>
      !(f.id === "domain" && (trace.domains.length < 2 || hasThreads(trace))) &&
      !(f.id === "thread" && (trace.domains.length < 2 || !hasThreads(trace))) &&
      !((f.id === "heap" || f.id === "not-heap") && trace.heaps.length === 0),
  );
  const groups = [...new Set(offered.map((f) => f.group))];
  return (
    <div class="popover menu" role="menu" aria-label="Add a filter" ref={list} onKeyDown={key}>
      {groups.map((g) => (
        <div key={g} role="group" aria-label={g} class="group">
          <span class="group-name" aria-hidden="true">{g}</span>
          {offered.filter((f) => f.group === g).map((f) => (
            <button
              key={f.id}
              type="button"
              role="menuitem"
              tabIndex={-1}
              title={f.help}
              onClick={() => props.onChoose(f)}
            >
              {f.label}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

function Form(props: {
  editing: Editing;
  onDone: (values: Record<string, string>) => void;
  onClose: () => void;
}) {
  const { filter } = props.editing;
  const [values, set] = useState(props.editing.values);
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const first = form.current!.querySelector<HTMLInputElement>("input")!;
    first.focus();
    if (first.type === "text") first.select();
  }, []);
  const wrong = faultOf(filter, values);
  return (
    <div class="popover form" role="dialog" aria-label={filter.label}>
    <form
      ref={form}
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        setTried(true);
        if (wrong === null) props.onDone(values);
      }}
      onKeyDown={(e) => {
        e.stopPropagation();
        if (e.key === "Escape") props.onClose();
      }}
    >
      <h2>{filter.label}</h2>
      <p class="muted">{filter.help}</p>
      {filter.fields.map((f) => (
        <FieldInput
          key={f.name}
          field={f}
          value={values[f.name] ?? ""}
          invalid={tried && wrong !== null && (values[f.name] ?? "") !== "" && fault(f, values[f.name]) !== null}
          onInput={(v) => set({ ...values, [f.name]: v })}
        />
      ))}
      {tried && wrong !== null && (
        <p class="wrong" role="alert" id="filter-fault">
          {wrong}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="button primary">Apply</button>
        <button type="button" class="button" onClick={props.onClose}>Cancel</button>
      </div>
    </form>
    </div>
  );
}

function FieldInput(props: {
  field: Field;
  value: string;
  invalid: boolean;
  onInput: (v: string) => void;
}) {
  const { field, value } = props;
  const { trace } = usePage();
  const id = `field-${field.name}`;
  const names = field.name === "thread" ? trace.thread_names : undefined;
  if (field.kind === "heaps") {
    const on = new Set(value.split(",").filter((h) => h !== ""));
    const toggle = (h: string) => {
      if (!on.delete(h)) on.add(h);
      props.onInput(["minor", "major", "external"].filter((x) => on.has(x)).join(","));
    };
    return (
      <fieldset class="checks">
        <legend>{field.label}</legend>
        {["minor", "major", "external"].map((h) => (
          <label key={h}>
            <input type="checkbox" checked={on.has(h)} onChange={() => toggle(h)} /> {h}
            {!trace.heaps.includes(h) && <span class="muted"> (none in this trace)</span>}
          </label>
        ))}
      </fieldset>
    );
  }
  return (
    <label class="field" for={id}>
      <span>{field.label}</span>
      <input
        id={id}
        type="text"
        spellcheck={false}
        autocomplete="off"
        list={names === undefined ? undefined : `${id}-names`}
        placeholder={examples[field.kind]}
        value={value}
        aria-invalid={props.invalid}
        aria-describedby={props.invalid ? "filter-fault" : undefined}
        onInput={(e) => props.onInput(e.currentTarget.value)}
      />
      {names !== undefined && (
        <datalist id={`${id}-names`}>{names.map((n) => <option key={n} value={`=${n}`} />)}</datalist>
      )}
    </label>
  );
}
