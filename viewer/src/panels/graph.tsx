// SPDX-License-Identifier: MIT
/** The flame graph with its controls, search, path of zoom, and details. */
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { useAnswer, usePage } from "../answers";
import { type Graph, type GraphNode, hasThreads, type Parameters, unpack } from "../api";
import { csv, download, fileBase, standaloneSvg } from "../download";
import { parsePattern } from "../engine/amount_syntax";
import { bytes, inUnit, percent, plural, quantity } from "../format";
import { shorten } from "../names";
import { change, type State, valueNames } from "../state";
import { EmptyNote, Hint, Shown, Switch, Toolbar } from "../widgets/basics";
import { WrapperOffer } from "../widgets/wrapper_offer";
import { Details } from "./flame_details";
import { Flame } from "./flame";
import { Legend } from "./legend";
import { kindsOf } from "./colours";
import { matched } from "./flame_layout";

/** Functions of the C++ library, which a program that is full of templates has between each two of its own. */
const libraryFunctions = "/^(std|__gnu_cxx)::/";

/** Of what tree a box is. */
function treeQuestion(state: State): Parameters {
  return [
    ...state.selection,
    ["value", state.value],
    ...["from", "recursion", "inlined", "boxes", "split"].flatMap((n): Parameters =>
      state.get(n) === null ? [] : [[n, state.get(n)!]],
    ),
  ];
}

export function GraphPanel(props: { state: State }) {
  const { state } = props;
  const answer = useAnswer("graph", [
    ...treeQuestion(state),
    ...(state.get("least") === null ? [] : ([["least", state.get("least")]] as Parameters)),
    ...state.zoom.map((z): [string, string] => ["zoom", z]),
  ]);
  return (
    <>
      <Controls state={state} answer={answer.data} />
      <WrapperOffer state={state} />
      <Shown answer={answer}>{(graph) => <GraphView state={state} graph={graph} />}</Shown>
      {answer.error !== null && state.zoom.length > 0 && (
        <button type="button" class="button" onClick={() => change({ zoom: null })}>
          Zoom out
        </button>
      )}
    </>
  );
}

function Controls(props: { state: State; answer: Graph | null }) {
  const { trace, source } = usePage();
  const { state } = props;
  const base = fileBase(trace);
  const hidden = state.all("hide");
  const hidesLibrary = hidden.includes(libraryFunctions);
  const hasLibrary = useMemo(() => props.answer !== null && kindsOf(props.answer.root).has("library"), [props.answer]);
  return (
    <Toolbar
      downloads={[
        {
          name: "SVG",
          make: () => {
            const svg = document.querySelector<SVGSVGElement>(".flame svg");
            if (svg !== null) download(`${base}.svg`, "image/svg+xml", standaloneSvg(svg));
          },
        },
        { name: "Folded", make: () => void saveFolded() },
        {
          name: "CSV",
          make: () => props.answer !== null && download(`${base}.csv`, "text/csv", graphCsv(props.answer)),
        },
        {
          name: "JSON",
          make: () => props.answer !== null &&
            download(`${base}.json`, "application/json", JSON.stringify(props.answer)),
        },
      ]}
    >
      <Switch
        label="Direction"
        value={state.choice("from", ["main", "sites"] as const)}
        options={[
          { value: "main", text: "From main", title: "Callers first: where the program spends its memory" },
          { value: "sites", text: "From sites", title: "Allocation sites first, their callers below" },
        ]}
        onChange={(v) => change({ from: v === "main" ? null : v, zoom: null })}
      />
      <Switch
        label="Boxes"
        value={state.choice("boxes", ["function", "object"] as const)}
        options={[
          { value: "function", text: "Functions" },
          { value: "object", text: "Objects", title: "The program and its shared objects" },
        ]}
        onChange={(v) => change({ boxes: v === "function" ? null : v, zoom: null })}
      />
      <Switch
        label="Shape"
        value={state.choice("shape", ["icicle", "flame"] as const)}
        options={[{ value: "icicle", text: "Icicle" }, { value: "flame", text: "Flame" }]}
        onChange={(v) => change({ shape: v === "icicle" ? null : v })}
      />
      <Switch
        label="Order"
        value={state.choice("order", ["size", "name"] as const)}
        options={[
          { value: "size", text: "Left heavy", title: "The largest first" },
          { value: "name", text: "By name" },
        ]}
        onChange={(v) => change({ order: v === "size" ? null : v })}
      />
      <label class="check" title="A function counts once in a stack, at its outermost call">
        <input
          type="checkbox"
          checked={state.get("recursion") !== "keep"}
          onChange={(e) => change({ recursion: e.currentTarget.checked ? null : "keep", zoom: null })}
        />{" "}
        Fold recursion
      </label>
      <label class="check" title="Functions that the compiler put into their callers">
        <input
          type="checkbox"
          checked={state.get("inlined") !== "0"}
          onChange={(e) => change({ inlined: e.currentTarget.checked ? null : "0", zoom: null })}
        />{" "}
        Inlined
      </label>
      {(hasLibrary || hidesLibrary) && (
        <label class="check" title="Functions of the C++ standard library; without them what they call stands below their callers">
          <input
            type="checkbox"
            checked={!hidesLibrary}
            onChange={() =>
              change({
                hide: hidesLibrary ? hidden.filter((h) => h !== libraryFunctions) : [...hidden, libraryFunctions],
                zoom: null,
              })}
          />{" "}
          std::
        </label>
      )}
      {trace.domains.length > 1 && (
        <label class="check" title={`The stacks of each ${hasThreads(trace) ? "thread" : "domain"} by themselves`}>
          <input
            type="checkbox"
            checked={state.get("split") === "domain"}
            onChange={(e) => change({ split: e.currentTarget.checked ? "domain" : null, zoom: null })}
          />{" "}
          {hasThreads(trace) ? "By thread" : "By domain"}
        </label>
      )}
      <label class="field inline">
        <span>Search</span>
        <input
          id="search"
          type="search"
          spellcheck={false}
          placeholder="name or /regex/"
          aria-keyshortcuts="/"
          value={state.get("search") ?? ""}
          onInput={(e) => change({ search: e.currentTarget.value || null }, true)}
        />
      </label>
    </Toolbar>
  );

  async function saveFolded() {
    const unit = state.unit === "bytes" || state.unit === "words" ? "bytes" : "samples";
    const text = await source.get("folded", [
      ...state.selection, ["value", state.value], ["unit", unit],
    ]);
    download(`${base}.folded`, "text/plain", text);
  }
}

/** Rows of the graph as they are drawn: a path each. */
function graphCsv(graph: Graph): string {
  const rows: (string | number)[][] = [];
  const open: [GraphNode, string[]][] = [[graph.root, []]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, above] = next;
    const path = [...above, node[0]];
    rows.push([path.join(";"), ...node[2], ...node[3]]);
    for (const c of [...node[4]].reverse()) open.push([c, path]);
  }
  const columns = ["samples", "blocks", "bytes", "bytes_lower", "bytes_upper", "objects", "objects_lower", "objects_upper"];
  return csv(["path", ...columns.map((c) => `self_${c}`), ...columns.map((c) => `total_${c}`)], rows);
}

function GraphView(props: { state: State; graph: Graph }) {
  const { trace } = usePage();
  const { state, graph } = props;
  const [selected, select] = useState<string[] | null>(null);
  const [hovered, hover] = useState<{ path: string[]; node: GraphNode } | null>(null);
  const zoom = state.zoom;
  const boxes = state.choice("boxes", ["function", "object"] as const);
  // At once: after the next frame it would take back what a quick key or click has chosen.
  useLayoutEffect(() => {
    select(null);
    hover(null);
  }, [zoom.join("\0"), graph.from, graph.value, boxes, state.get("split")]);
  const search = state.get("search") ?? "";
  const [matches, wrong] = useMemo((): [((name: string) => boolean) | null, string | null] => {
    if (search === "") return [null, null];
    try {
      return [parsePattern("search", search), null];
    } catch (e) {
      return [null, (e as Error).message];
    }
  }, [search]);
  const size = (a: GraphNode[3]) => inUnit(a, state.unit, trace.word_bytes)[0];
  const found = useMemo(
    () => (matches === null ? null : matched(graph.root, matches, size)),
    [graph, matches, state.unit],
  );
  const nodeAt = (path: string[]): GraphNode | null => {
    let node: GraphNode | undefined = graph.root;
    for (const name of path) node = node?.[4].find((c) => c[0] === name);
    return node ?? null;
  };
  const shownPath = hovered?.path ?? selected ?? null;
  const shownNode = hovered?.node ?? (selected === null ? null : nodeAt(selected));
  const total = unpack(graph.total);
  const hint = (
    <Hint id="graph">
      A box is as wide as what it and all it calls allocate.{" "}
      {graph.from === "main"
        ? "Follow the wide ones from the program's start to where memory is asked for."
        : "The widest site comes first, and behind it those that called it."}{" "}
      Colours say whose code it is; faint, dashed boxes rest on few samples.
    </Hint>
  );
  if (trace.total.allocated.samples === 0) {
    return (
      <EmptyNote>
        No block was sampled: with 95 %, the program allocated less
        than {bytes(trace.total.allocated.bytes[2])}. Record it with a higher <code>--rate</code> to see more.
      </EmptyNote>
    );
  }
  if (total.samples === 0) {
    return (
      <EmptyNote>
        No sampled block is in this selection
        {state.value === "allocated" ? "" : ` when ${valueNames[state.value].toLowerCase()} is asked for`}.
        Remove a filter, or choose another value.
      </EmptyNote>
    );
  }
  const zoomTo = (path: string[]) => path.length > 0 && change({ zoom: [...zoom, ...path] });
  return (
    <>
      {hint}
      <div class="graph">
        <div class="graph-main">
          <div class="graph-bar">
            <Legend root={graph.root} />
          <nav class="crumbs" aria-label="Zoom">
            <button type="button" class="link" disabled={zoom.length === 0} onClick={() => change({ zoom: null })}>
              (all)
            </button>
            {zoom.map((z, k) => (
              <span key={k}>
                <span aria-hidden="true">›</span>
                <button
                  type="button"
                  class="link"
                  title={z}
                  disabled={k === zoom.length - 1}
                  onClick={() => change({ zoom: zoom.slice(0, k + 1) })}
                >
                  {shorten(z, 60)}
                </button>
              </span>
            ))}
            <output class="found" id="found">
              {wrong !== null && <span class="wrong">{wrong}</span>}
              {found !== null &&
                (found.functions.size === 0
                  ? "Nothing matches here."
                  : `${plural(found.functions.size, "function")}: ${quantity(found.amount, state.unit)}, ${percent(found.amount / Math.max(size(graph.root[3]), 1e-300))} of what is shown`)}
            </output>
            <span class="muted least">boxes under {percent(graph.least)} are hidden</span>
          </nav>
          </div>
          <Flame
            root={graph.root}
            unit={state.unit}
            label={`Flame graph, ${valueNames[graph.value].toLowerCase()}, ${graph.from === "main" ? "from main" : "from allocation sites"}`}
            down={state.choice("shape", ["icicle", "flame"] as const) === "icicle"}
            byName={state.get("order") === "name"}
            selected={selected}
            onSelect={(path) => select(path)}
            onHover={(path, node) => hover(path === null || node === null ? null : { path, node })}
            onZoom={zoomTo}
            onOut={() => zoom.length > 0 && change({ zoom: zoom.slice(0, -1) })}
            matches={matches}
            idPrefix="box"
          />
        </div>
        <Details
          node={shownNode}
          path={shownPath ?? []}
          unit={state.unit}
          total={total}
          whole={unpack(graph.whole)}
          upwards={graph.from === "sites"}
          functions={boxes === "function"}
          lines={
            shownPath === null || boxes === "object"
              ? undefined
              : [...treeQuestion(state), ...[...zoom, ...shownPath].map((z): [string, string] => ["zoom", z])]
          }
          onZoom={zoomTo}
          onSelect={select}
        />
      </div>
    </>
  );
}
