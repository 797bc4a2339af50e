// SPDX-License-Identifier: MIT
/** The page: head, filters, time line, and the panel that is chosen; and the keys. */
import { Component, type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { forgetAnswers, PageContext } from "./answers";
import { programOf, type Trace } from "./api";
import { AroundPanel } from "./panels/around";
import { DiffPanel } from "./panels/diff";
import { GraphPanel } from "./panels/graph";
import { LifetimesPanel } from "./panels/lifetimes";
import { LimitsPanel } from "./panels/limits";
import { OverTimePanel } from "./panels/over_time";
import { PromotionPanel } from "./panels/promotion";
import { SizesPanel } from "./panels/sizes";
import { SourcePanel } from "./panels/source";
import { SuspectsPanel } from "./panels/suspects";
import { TablePanel } from "./panels/table";
import type { Source } from "./source";
import { change, stateNow, type State, useStateOfPage, values } from "./state";
import { ErrorNote } from "./widgets/basics";
import { Head } from "./widgets/head";
import { Help } from "./widgets/help";
import { toggleTheme, useTheme } from "./widgets/theme";
import { Timeline } from "./widgets/timeline";

interface Panel {
  id: string;
  text: string;
  show: (props: { state: State }) => ComponentChildren;
}
const panels: Panel[] = [
  { id: "graph", text: "Graph", show: GraphPanel },
  { id: "table", text: "Table", show: TablePanel },
  { id: "around", text: "Sandwich", show: AroundPanel },
  { id: "time", text: "Over time", show: OverTimePanel },
  { id: "lifetimes", text: "Lifetimes", show: LifetimesPanel },
  { id: "sizes", text: "Sizes", show: SizesPanel },
  { id: "promotion", text: "Promotion", show: PromotionPanel },
  { id: "suspects", text: "Suspects", show: SuspectsPanel },
  { id: "diff", text: "Compare", show: DiffPanel },
  { id: "source", text: "Source", show: SourcePanel },
];
const panelKeys = "1234567890-";
const limitsPanel: Panel = { id: "limits", text: "Limits", show: LimitsPanel };

/** One panel's mistake must not take the page with it. */
class Guard extends Component<{ children: ComponentChildren }, { error: Error | null }> {
  state = { error: null as Error | null };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  render() {
    return this.state.error === null ? this.props.children : <ErrorNote error={this.state.error} />;
  }
}

export function Page(props: { source: Source; trace: Trace }) {
  const [trace, setTrace] = useState(props.trace);
  const state = useStateOfPage();
  // How often it was asked for since it was shut.
  const [help, setHelp] = useState(0);
  useTheme();
  const shown = useMemo(() => (trace.limits.length > 0 ? [...panels, limitsPanel] : panels), [trace]);
  const panel = shown.find((p) => p.id === state.get("panel")) ?? shown[0];
  const [serverGone, setServerGone] = useState(false);
  const context = useMemo(() => ({ source: props.source, trace, serverGone }), [props.source, trace, serverGone]);

  useEffect(() => {
    if (!trace.growing) return undefined;
    const timer = setInterval(async () => {
      const next = await props.source.refresh(trace).catch(() => null);
      setServerGone(next === null);
      if (next !== null && (next.generation !== trace.generation || !next.growing)) {
        forgetAnswers();
        setTrace(next);
      }
    }, 2000);
    return () => clearInterval(timer);
  }, [trace]);
  useEffect(() => {
    document.title = `${programOf(trace)} · memprof`;
  }, [trace]);
  const askHelp = () => setHelp((n) => n + 1);
  useLayoutEffect(() => {
    const key = (e: KeyboardEvent) => pageKey(e, shown, askHelp);
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [shown]);

  const Content = panel.show;
  return (
    <PageContext.Provider value={context}>
      <a class="skip" href="#panel" onClick={(e) => {
        e.preventDefault();
        document.getElementById("panel")?.focus();
      }}>
        To the panel
      </a>
      <Head state={state} onHelp={askHelp} />
      <main>
        <Timeline state={state} />
        <Tabs shown={shown} panel={panel} />
        <section id="panel" role="tabpanel" aria-labelledby={`tab-${panel.id}`} tabIndex={-1} class={`panel panel-${panel.id}`}>
          <Guard key={panel.id}>
            <Content state={state} />
          </Guard>
        </section>
      </main>
      {help > 0 && <Help asked={help} onClose={() => setHelp(0)} />}
    </PageContext.Provider>
  );
}

function Tabs(props: { shown: Panel[]; panel: Panel }) {
  const { shown, panel } = props;
  const list = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState("");
  const look = () => {
    const { scrollLeft, clientWidth, scrollWidth } = list.current!;
    setHidden(`${scrollLeft > 1 ? "left " : ""}${scrollLeft + clientWidth < scrollWidth - 1 ? "right" : ""}`);
  };
  useLayoutEffect(() => {
    look();
    const resized = new ResizeObserver(look);
    resized.observe(list.current!);
    return () => resized.disconnect();
  }, [shown]);
  useLayoutEffect(() => {
    const tab = document.getElementById(`tab-${panel.id}`)!;
    const view = list.current!;
    // Wholly in view, and something of the next one.
    const [from, to] = [tab.offsetLeft - 50, tab.offsetLeft + tab.offsetWidth + 50 - view.clientWidth];
    if (from < view.scrollLeft) view.scrollLeft = from;
    else if (to > view.scrollLeft) view.scrollLeft = to;
  }, [panel]);
  return (
    <div class={`tab-bar ${hidden}`}>
      <div class="tabs" role="tablist" aria-label="Panels" ref={list} onScroll={look}>
        {shown.map((p, k) => (
          <button
            key={p.id}
            id={`tab-${p.id}`}
            type="button"
            role="tab"
            aria-selected={p === panel}
            aria-controls="panel"
            aria-keyshortcuts={panelKeys[k]}
            tabIndex={p === panel ? 0 : -1}
            onClick={() => choosePanel(p.id)}
            onKeyDown={(e) => tabKey(e, shown, k)}
          >
            {p.text}
            <kbd aria-hidden="true">{panelKeys[k]}</kbd>
          </button>
        ))}
      </div>
    </div>
  );
}

/** What one panel means by these is not what another does. */
function choosePanel(id: string): void {
  change({ panel: id === "graph" ? null : id, view: null, sort: null, reverse: null, by: null, search: null });
}

function tabKey(e: KeyboardEvent, shown: Panel[], at: number): void {
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: shown.length - 1 - at }[e.key];
  if (step === undefined) return;
  e.preventDefault();
  e.stopPropagation();
  const next = shown[(at + step + shown.length) % shown.length];
  choosePanel(next.id);
  document.getElementById(`tab-${next.id}`)?.focus();
}

function pageKey(e: KeyboardEvent, shown: Panel[], help: () => void): void {
  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
  const target = e.target as HTMLElement;
  // The focus stays for a while in a dialog that was closed: its keys are the page's.
  const typing = target.closest?.("input:not([type=radio]):not([type=checkbox]), textarea, dialog[open]") != null;
  if (e.key === "Escape" && target.id === "search") {
    target.blur();
    document.querySelector<SVGElement>(".flame svg")?.focus();
    return;
  }
  if (typing) return;
  const number = panelKeys.indexOf(e.key);
  const focus = (selector: string) => {
    const found = document.querySelector<HTMLElement>(selector);
    found?.focus();
    return found !== null;
  };
  if (number >= 0 && e.key.length === 1 && number < shown.length) choosePanel(shown[number].id);
  else if (e.key === "/") {
    if (!focus("#search")) return;
  } else if (e.key === "?") help();
  else if (e.key === "f") document.getElementById("add-filter")?.click();
  else if (e.key === "r") focus("#range-from");
  else if (e.key === "g") focus(".flame svg");
  else if (e.key === "t") toggleTheme();
  else if (e.key === "v") {
    const next = values[(values.indexOf(stateNow().value) + 1) % values.length];
    change({ value: next === "allocated" ? null : next });
  } else if (e.key === "Escape") {
    const { zoom } = stateNow();
    if (zoom.length === 0) return;
    change({ zoom: zoom.slice(0, -1) });
  } else return;
  e.preventDefault();
}
