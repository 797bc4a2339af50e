// SPDX-License-Identifier: MIT
/** Changes as a flame graph: widths are the sums of changes below, shades the net change. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiffNode } from "../api";
import { bytes, signed } from "../format";
import { shorten } from "../names";
import { rowHeight } from "./flame";

interface Box {
  node: DiffNode;
  parent: number;
  depth: number;
  x: number;
  width: number;
}

/** Sum of the absolute changes of a node itself and of all below it. */
export function weightOf(root: DiffNode): Map<DiffNode, number> {
  const weights = new Map<DiffNode, number>();
  const order: DiffNode[] = [root];
  for (let k = 0; k < order.length; ++k) order.push(...order[k][5]);
  for (const node of order.reverse()) {
    let own = node[3] - node[2];
    let sum = 0;
    for (const c of node[5]) {
      own -= c[3] - c[2];
      sum += weights.get(c)!;
    }
    weights.set(node, sum + Math.abs(own));
  }
  return weights;
}

function boxesOf(root: DiffNode, narrowest: number): Box[] {
  const weights = weightOf(root);
  const all = Math.max(weights.get(root)!, 1e-300);
  const boxes: Box[] = [{ node: root, parent: -1, depth: 0, x: 0, width: 1 }];
  for (let k = 0; k < boxes.length; ++k) {
    let { x } = boxes[k];
    const children = [...boxes[k].node[5]].sort((a, b) => weights.get(b)! - weights.get(a)!);
    for (const c of children) {
      const width = weights.get(c)! / all;
      if (width >= narrowest) boxes.push({ node: c, parent: k, depth: boxes[k].depth + 1, x, width });
      x += width;
    }
  }
  return boxes;
}

export function DiffGraph(props: { root: DiffNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [at, move] = useState(0);
  useLayoutEffect(() => {
    const resized = new ResizeObserver(() => setWidth(frame.current!.clientWidth));
    resized.observe(frame.current!);
    setWidth(frame.current!.clientWidth);
    return () => resized.disconnect();
  }, []);
  const boxes = useMemo(() => (width === 0 ? [] : boxesOf(props.root, 1.5 / width)), [props.root, width]);
  const height = (boxes.reduce((m, b) => Math.max(m, b.depth), 0) + 1) * rowHeight;
  const shown = boxes[Math.min(at, boxes.length - 1)];
  const text = (n: DiffNode) => `${n[0]}: ${bytes(n[2])} before, ${bytes(n[3])} after, ${signed(n[3] - n[2])}${n[4] ? "" : ", may be chance"}`;
  const key = (e: KeyboardEvent) => {
    if (shown === undefined) return;
    const row = boxes.map((b, k) => ({ b, k })).filter(({ b }) => b.depth === shown.depth);
    const place = row.findIndex(({ k }) => k === at);
    let next: number | undefined;
    if (["ArrowUp", "k"].includes(e.key)) next = shown.parent;
    else if (["ArrowDown", "j"].includes(e.key)) next = boxes.findIndex((b) => b.parent === at);
    else if (["ArrowRight", "l"].includes(e.key)) next = row[place + 1]?.k ?? -1;
    else if (["ArrowLeft", "h"].includes(e.key)) next = row[place - 1]?.k ?? -1;
    if (next === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    if (next >= 0) move(next);
  };
  return (
    <div class="flame diff-graph" ref={frame}>
      <svg
        width={width} height={height} role="tree" tabindex={0} onKeyDown={key}
        aria-label="Changes by path" aria-activedescendant={boxes.length > 0 ? `diff-${at}` : undefined}
        onMouseOver={(e) => {
          const id = (e.target as Element).closest("[data-box]")?.getAttribute("data-box");
          if (id != null) move(Number(id));
        }}
      >
        {boxes.map((b, k) => {
          const change = b.node[3] - b.node[2];
          const strength = Math.abs(change) / Math.max(b.node[2] + b.node[3], 1e-300);
          const step = Math.min(3, Math.floor(strength * 4));
          const w = b.width * width;
          return (
            <g
              key={k} id={`diff-${k}`} data-box={k} role="treeitem" aria-level={b.depth + 1} aria-label={text(b.node)}
              class={`box ${change > 0 ? `more${step}` : change < 0 ? `less${step}` : "all"}${b.node[4] ? "" : " faint"}${k === at ? " at" : ""}`}
            >
              <rect x={b.x * width} y={b.depth * rowHeight} width={Math.max(0.5, w - (w > 4 ? 1 : 0))} height={rowHeight - 1} />
            </g>
          );
        })}
        <g class="labels" aria-hidden="true">
          {boxes.map((b, k) => {
            const change = b.node[3] - b.node[2];
            const room = Math.floor((b.width * width - 8) / 6.6);
            if (room < 3) return null;
            return (
              <text key={k} x={b.x * width + 4} y={b.depth * rowHeight + 14.5}>
                {shorten(`${change > 0 ? "+ " : change < 0 ? "− " : ""}${b.node[0]}`, room)}
              </text>
            );
          })}
        </g>
      </svg>
      <output class="readout" aria-live="polite">{shown === undefined ? "" : text(shown.node)}</output>
    </div>
  );
}
