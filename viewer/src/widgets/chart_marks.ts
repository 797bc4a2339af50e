// SPDX-License-Identifier: MIT
/** What stands in front of a chart's lines: a shaded range, moments with a word, and ticks for many. */
import type uPlot from "uplot";

/** A moment with a word beside it. */
export interface Mark {
  x: number;
  color: string;
  text: string;
}
/** One of many moments: a thin line. What it is stands in the readout, when pointed at. */
export interface Tick {
  x: number;
  kind: string;
}
export interface Marks {
  marks?: Mark[];
  /** In ascending order. */
  ticks?: Tick[];
  tickColor?: string;
  shade?: { from: number; to: number } | null;
}

export const cssColor = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";

export function alpha(color: string, opacity: number): string {
  const m = /^#([0-9a-f]{6})$/i.exec(color);
  if (m === null) return color;
  return `#${m[1]}${Math.round(opacity * 255).toString(16).padStart(2, "0")}`;
}

/** Ticks whose lines would touch are one cluster; positions in pixels, ascending. */
export function clustersOf(positions: number[], apart: number): { from: number; to: number; count: number }[] {
  const clusters: { from: number; to: number; count: number }[] = [];
  for (const x of positions) {
    const last = clusters.at(-1);
    if (last !== undefined && x - last.to < apart) {
      last.to = x;
      ++last.count;
    } else {
      clusters.push({ from: x, to: x, count: 1 });
    }
  }
  return clusters;
}

/** "3 limits hit here: 2 memory, 1 token", of the ticks that lie at most `reach` from x; or nothing. */
export function ticksAt(ticks: Tick[], x: number, reach: number): string {
  const kinds = new Map<string, number>();
  for (const t of ticks) {
    if (Math.abs(t.x - x) <= reach) kinds.set(t.kind, (kinds.get(t.kind) ?? 0) + 1);
  }
  if (kinds.size === 0) return "";
  const count = [...kinds.values()].reduce((a, b) => a + b);
  const list = [...kinds].sort((a, b) => b[1] - a[1]).map(([kind, n]) => `${n} ${kind}`);
  return `${count} ${count === 1 ? "limit" : "limits"} hit here: ${list.join(", ")}`;
}

export function drawMarks(u: uPlot, p: Marks): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  if (p.shade) {
    const from = u.valToPos(p.shade.from, "x", true);
    const to = u.valToPos(p.shade.to, "x", true);
    ctx.fillStyle = alpha(cssColor("--accent"), 0.14);
    ctx.fillRect(from, top, to - from, height);
  }
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  drawTicks(u, p);
  p.marks?.forEach((m, k) => drawMark(u, m, k));
  ctx.restore();
}

/** Text with a rim in the colour of the ground, so that it is read in front of lines. */
function write(ctx: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  ctx.setLineDash([]);
  ctx.strokeStyle = cssColor("--surface");
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

function drawMark(u: uPlot, m: Mark, k: number): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const ratio = devicePixelRatio;
  // What comes after the last event is drawn at the edge.
  const x = Math.min(u.valToPos(m.x, "x", true), left + width - ratio);
  ctx.strokeStyle = cssColor(m.color);
  ctx.fillStyle = cssColor(m.color);
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  const onRight = x < left + width - 140 * ratio;
  ctx.textAlign = onRight ? "left" : "right";
  write(ctx, m.text, x + (onRight ? 4 : -4) * ratio, top + (11 + 13 * (k % 3)) * ratio);
}

function drawTicks(u: uPlot, p: Marks): void {
  if (p.ticks === undefined || p.ticks.length === 0) return;
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const ratio = devicePixelRatio;
  const bottom = top + height;
  const color = cssColor(p.tickColor ?? "--bad");
  ctx.strokeStyle = alpha(color, 0.45);
  ctx.lineWidth = ratio;
  ctx.setLineDash([]);
  const positions = p.ticks.map((t) => u.valToPos(t.x, "x", true));
  const drawn = new Set<number>();
  ctx.beginPath();
  for (const x of positions) {
    // Thousands of them fall on the same pixels.
    const at = Math.round(x);
    if (drawn.has(at)) continue;
    drawn.add(at);
    ctx.moveTo(at + 0.5, bottom - 14 * ratio);
    ctx.lineTo(at + 0.5, bottom);
  }
  ctx.stroke();
  ctx.fillStyle = color;
  ctx.textAlign = "center";
  let written = -Infinity;
  for (const c of clustersOf(positions, 4 * ratio)) {
    const text = String(c.count);
    const half = ctx.measureText(text).width / 2;
    const x = Math.min(Math.max((c.from + c.to) / 2, left + half), left + width - half);
    if (c.count < 2 || x - half < written + 4 * ratio) continue;
    write(ctx, text, x, bottom - 17 * ratio);
    written = x + half;
  }
}
