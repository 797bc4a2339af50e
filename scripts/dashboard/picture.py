# SPDX-License-Identifier: MIT
"""Panels of a dashboard as one SVG: where Grafana places them, lines as it draws them."""

import math
from xml.sax.saxutils import escape

COLUMN = 44      # of Grafana's 24
ROW = 34         # of its grid
GAP = 12
HEAD = 44
COLOURS = ["#1f78c1", "#d9541e", "#2e8b57", "#8f3bb8", "#c99400", "#17868f", "#c2185b", "#6b6b6b", "#7a5230", "#5c6bc0",
           "#9aa51f", "#e08bb5"]
STYLE = """\
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: #464c54; }
.title { font-size: 14px; font-weight: 600; fill: #24292e; }
.head { font-size: 17px; font-weight: 600; fill: #24292e; }
.none { font-size: 13px; fill: #8e8e8e; }
.panel { fill: #ffffff; stroke: #d8d9da; }
.grid { stroke: #e9edf2; }
.axis { stroke: #c7d0d9; }
"""


def amount(value, base, names, suffix=""):
    """A number with the largest unit that leaves a digit before the point."""
    n = 0
    while abs(value) >= base and n + 1 < len(names):
        value /= base
        n += 1
    return f"{value:.3g} {names[n]}{suffix}".rstrip()


FORMATS = {
    "bytes": lambda v: amount(v, 1024, ["B", "KiB", "MiB", "GiB"]),
    "Bps": lambda v: amount(v, 1000, ["B", "kB", "MB", "GB"], "/s"),
    "ops": lambda v: amount(v, 1000, ["", "k", "M"]).rstrip() + " /s",
    "percentunit": lambda v: f"{v * 100:.3g} %",
    "short": lambda v: amount(v, 1000, ["", "k", "M"]).rstrip(),
}


def steps(most, unit):
    """The ticks of an axis from 0 to `most` or a little more: four or five, at round numbers."""
    most = most if most > 0 else 1
    scale = 1
    if unit == "bytes":
        scale = 1024 ** min(3, max(0, int(math.log(most, 1024))))
    rough = most / scale / 4
    power = 10 ** math.floor(math.log10(rough))
    step = next(m for m in (1, 2, 2.5, 5, 10) if m * power >= rough) * power * scale
    count = math.ceil(most / step - 1e-9)
    return [i * step for i in range(count + 1)]


def colours(series):
    """One for each name; what is a bound of another series has that one's colour."""
    chosen = {}
    for s in series:
        name = s.name.removesuffix(" lower").removesuffix(" upper")
        chosen.setdefault(name, COLOURS[len(chosen) % len(COLOURS)])
    return [chosen[s.name.removesuffix(" lower").removesuffix(" upper")] for s in series]


def curve(points, x, y):
    """A path; it is broken where a second or more is missing."""
    text, last = "", None
    for seconds, value in points:
        if math.isnan(value):
            continue
        text += f"{'M' if last is None or seconds - last > 1.5 else 'L'}{x(seconds):.1f},{y(value):.1f}"
        last = seconds
    return text


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def legend_rows(series, width):
    """[[(x, index)...]...]: names in rows that fit."""
    rows, x = [[]], 0
    for i, s in enumerate(series):
        wide = 36 + 6.8 * len(s.name)
        if rows[-1] and x + wide > width:
            rows.append([])
            x = 0
        rows[-1].append((x, i))
        x += wide
    return rows


def draw_panel(panel, seconds, left, top, width, height):
    out = [f'<g transform="translate({left} {top})">',
           f'<rect class="panel" width="{width}" height="{height}" rx="3"/>',
           f'<text class="title" x="12" y="22">{escape(panel.title)}</text>']
    drawn = [s for s in panel.series if s.points]
    rows = legend_rows(drawn, width - 30) if drawn else []
    begin, end, low, high = 66, width - 16, height - 30 - 17 * len(rows), 38
    if not drawn:
        out.append(f'<text class="none" x="{width / 2}" y="{height / 2}" text-anchor="middle">No data</text></g>')
        return out
    ticks = steps(max(v for s in drawn for _, v in s.points if not math.isnan(v)), panel.unit)

    def x(t):
        return begin + (end - begin) * t / seconds

    def y(v):
        return low - (low - high) * v / ticks[-1]

    for t in ticks:
        out.append(f'<line class="grid" x1="{begin}" x2="{end}" y1="{y(t):.1f}" y2="{y(t):.1f}"/>'
                   f'<text x="{begin - 7}" y="{y(t) + 4:.1f}" text-anchor="end">{FORMATS[panel.unit](t)}</text>')
    step = next(s for s in (1, 2, 5, 10, 15, 30, 60, 120, 300) if seconds / s <= 8)
    for t in range(0, int(seconds) + 1, step):
        out.append(f'<line class="grid" x1="{x(t):.1f}" x2="{x(t):.1f}" y1="{high}" y2="{low}"/>'
                   f'<text x="{x(t):.1f}" y="{low + 16}" text-anchor="middle">{clock(t)}</text>')
    out.append(f'<line class="axis" x1="{begin}" x2="{end}" y1="{low}" y2="{low}"/>')
    chosen = colours(drawn)
    for s, colour in zip(drawn, chosen):
        style = 'stroke-width="1" stroke-dasharray="4 3" opacity="0.8"' if s.dashed else 'stroke-width="1.7"'
        out.append(f'<path d="{curve(s.points, x, y)}" fill="none" stroke="{colour}" stroke-linejoin="round" {style}/>')
    for n, row in enumerate(rows):
        line = low + 36 + 17 * n
        for at, i in row:
            dash = ' stroke-dasharray="4 3"' if drawn[i].dashed else ""
            out.append(f'<line x1="{14 + at}" x2="{28 + at}" y1="{line - 4}" y2="{line - 4}" stroke="{chosen[i]}" '
                       f'stroke-width="2"{dash}/><text x="{33 + at}" y="{line}">{escape(drawn[i].name)}</text>')
    out.append("</g>")
    return out


def draw(title, panels, seconds):
    """The text of an SVG."""
    width = 24 * COLUMN + GAP
    height = HEAD + ROW * max(p.place["y"] + p.place["h"] for p in panels) + GAP
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
           f"<style>\n{STYLE}</style>", f'<rect width="{width}" height="{height}" fill="#f4f5f5"/>',
           f'<text class="head" x="{GAP}" y="28">{escape(title)}</text>']
    for p in panels:
        place = p.place
        out += draw_panel(p, seconds, GAP + place["x"] * COLUMN, HEAD + place["y"] * ROW,
                          place["w"] * COLUMN - GAP, place["h"] * ROW - GAP)
    return "\n".join([*out, "</svg>"]) + "\n"
