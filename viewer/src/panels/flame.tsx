// SPDX-License-Identifier: MIT
/**
 * A flame graph. Our own, and not d3-flame-graph: boxes need roles, names and keys of their own for
 * those who do not see or do not use a mouse, the faintness of an uncertain amount, and colours of
 * the page's theme; and a partition of sorted children is a loop.
 */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { GraphNode, PackedAmount } from "../api";
import { flag } from "../api";
import { usePage } from "../answers";
import { inUnit, interval, percent, quantity, type Unit } from "../format";
import { fitted } from "../names";
import { isFaint } from "../statistics";
import { boxClass } from "./colours";
import { type Box, boxAt, layout, neighbour } from "./flame_layout";

export const rowHeight = 21;
const letter = 6.6;

export interface FlameProps {
  root: GraphNode;
  unit: Unit;
  label: string;
  /** Children below (an icicle graph) or above. */
  down: boolean;
  byName?: boolean;
  selected: string[] | null;
  onSelect: (path: string[], node: GraphNode) => void;
  onHover: (path: string[] | null, node: GraphNode | null) => void;
  onZoom: (path: string[]) => void;
  onOut: () => void;
  matches: ((name: string) => boolean) | null;
  idPrefix: string;
}

export function Flame(props: FlameProps) {
  const { trace } = usePage();
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = frame.current!;
    setWidth(box.clientWidth);
    const resized = new ResizeObserver(() => setWidth(box.clientWidth));
    resized.observe(box);
    return () => resized.disconnect();
  }, []);
  const boxes = useMemo(
    () =>
      width === 0
        ? []
        : layout(props.root, {
            unit: props.unit,
            wordBytes: trace.word_bytes,
            byName: props.byName ?? false,
            narrowest: 1.5 / width,
          }),
    [props.root, props.unit, props.byName, width],
  );
  const rows = boxes.reduce((most, b) => Math.max(most, b.depth), 0) + 1;
  const height = rows * rowHeight;
  // The same element again is not drawn again: pointing at a box moves the selection alone.
  const drawn = useMemo(
    () => (
      <Boxes
        boxes={boxes}
        width={width}
        height={height}
        unit={props.unit}
        wordBytes={trace.word_bytes}
        down={props.down}
        matches={props.matches}
        idPrefix={props.idPrefix}
      />
    ),
    [boxes, width, height, props.unit, props.down, props.matches, props.idPrefix],
  );
  const selected = props.selected === null ? -1 : boxAt(boxes, props.selected);
  const at = selected < 0 ? 0 : selected;

  useLayoutEffect(() => {
    if (selected < 0) return;
    // The row that the keys led to is brought into view.
    const box = boxes[selected];
    const y = props.down ? box.depth * rowHeight : height - (box.depth + 1) * rowHeight;
    const view = frame.current!;
    if (y < view.scrollTop) view.scrollTop = y;
    if (y + rowHeight > view.scrollTop + view.clientHeight) {
      view.scrollTop = y + rowHeight - view.clientHeight;
    }
  }, [selected, boxes]);

  const key = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey || boxes.length === 0) return;
    const next = neighbour(boxes, at, e.key, props.down);
    const known = /^(Arrow(Up|Down|Left|Right)|[hjkl])$/.test(e.key);
    if (known) {
      e.preventDefault();
      e.stopPropagation();
      if (selected < 0) props.onSelect(boxes[0].path, boxes[0].node);
      else if (next >= 0) props.onSelect(boxes[next].path, boxes[next].node);
    } else if (e.key === "Enter" && selected >= 0) {
      e.preventDefault();
      props.onZoom(zoomTarget(boxes[selected]));
    } else if (e.key === "Escape") {
      e.preventDefault();
      props.onOut();
    }
  };
  const boxOf = (e: Event): Box | null => {
    const id = (e.target as Element).closest("[data-box]")?.getAttribute("data-box");
    return id == null ? null : (boxes[Number(id)] ?? null);
  };
  return (
    <div
      class="flame"
      ref={frame}
      onMouseLeave={() => props.onHover(null, null)}
      onMouseOver={(e) => {
        const b = boxOf(e);
        if (b !== null) props.onHover(b.path, b.node);
      }}
      onClick={(e) => {
        const b = boxOf(e);
        if (b !== null) props.onSelect(b.path, b.node);
      }}
      onDblClick={(e) => {
        const b = boxOf(e);
        if (b !== null) props.onZoom(zoomTarget(b));
      }}
    >
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${Math.max(1, width)} ${height}`}
        role="tree"
        aria-label={props.label}
        aria-activedescendant={boxes.length > 0 ? `${props.idPrefix}-${at}` : undefined}
        tabindex={0}
        onKeyDown={key}
      >
        {drawn}
        {selected >= 0 && (
          <rect
            class="selection"
            x={boxes[selected].x * width + 1}
            y={rowOf(boxes[selected], height, props.down) + 1}
            width={Math.max(1, boxes[selected].width * width - 2)}
            height={rowHeight - 2}
            aria-hidden="true"
          />
        )}
      </svg>
    </div>
  );
}

/** One cannot zoom into what is hidden: its parent shows it. */
const zoomTarget = (b: Box) => (b.hidden ? b.path.slice(0, -1) : b.path);
const rowOf = (b: Box, height: number, down: boolean) =>
  down ? b.depth * rowHeight : height - (b.depth + 1) * rowHeight;

function Boxes(props: {
  boxes: Box[];
  width: number;
  height: number;
  unit: Unit;
  wordBytes: number;
  down: boolean;
  matches: ((name: string) => boolean) | null;
  idPrefix: string;
}) {
  const { boxes, width, unit, wordBytes } = props;
  const size = (a: PackedAmount) => inUnit(a, unit, wordBytes);
  const all = boxes.length === 0 ? 1 : size(boxes[0].node[3])[0];
  return (
    <>
      {boxes.map((b, k) => {
        const [name, flags, , total] = b.node;
        const e = size(total);
        const faint = e[1] !== e[2] && isFaint(e);
        const x = b.x * width;
        const w = b.width * width;
        const y = rowOf(b, props.height, props.down);
        const hit = props.matches !== null && !b.hidden && k > 0 && props.matches(name);
        const dim = props.matches !== null && !hit;
        const share = all > 0 ? e[0] / all : 0;
        return (
          <g
            key={k}
            id={`${props.idPrefix}-${k}`}
            role="treeitem"
            aria-level={b.depth + 1}
            aria-label={`${name}, ${quantity(e[0], unit)}, ${percent(share)}, ${interval(e, unit)}${(flags & flag.inlined) !== 0 ? ", inlined" : ""}`}
            data-box={k}
            class={`${boxClass(name, flags, b.hidden)}${faint ? " faint" : ""}${hit ? " hit" : ""}${dim ? " dim" : ""}`}
          >
            <rect x={x} y={y} width={Math.max(0.5, w - (w > 4 ? 1 : 0))} height={rowHeight - 1} />
          </g>
        );
      })}
      <Labels {...props} />
    </>
  );
}

/** What is written on the boxes, in a layer of its own: whom names are read to gets them whole. */
function Labels(props: { boxes: Box[]; width: number; height: number; down: boolean }) {
  return (
    <g class="labels" aria-hidden="true">
      {props.boxes.map((b, k) => {
        const room = Math.floor((b.width * props.width - 8) / letter);
        if (room < 3) return null;
        const [name, flags] = b.node;
        const leaning = b.hidden || (flags & flag.inlined) !== 0;
        return (
          <text
            key={k}
            x={b.x * props.width + 4}
            y={rowOf(b, props.height, props.down) + 14.5}
            class={leaning ? "leaning" : undefined}
          >
            {fitted(name, room)}
          </text>
        );
      })}
    </g>
  );
}
