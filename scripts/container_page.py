#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/containers.md from what scripts/container_survey.py --record left in
benchmarks/results/containers.csv."""

import csv
import pathlib
import sys

from container_survey import HARM

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "containers.csv"
PAGE = ROOT / "docs" / "containers.md"

INTRODUCTION = """\
# Containers and parsers, interrupted everywhere

This page shows which containers and parsers survive an exception out of any of their allocations, and what an
interrupt does in those that do not. memprof's interrupt is a `std::bad_alloc` from `operator new`, so the
answers hold for every program that can run out of memory.

`scripts/container_survey.py` runs each operation below once for each of its allocations, with an interrupt at
exactly that one, in a process of its own. Afterwards the object is read, the operation is done once more without
interrupt, and the object is destroyed. `scripts/install_dependencies.sh containers` installs the libraries; one
that is not installed is left out. `scripts/container_page.py` writes this page from the
[raw results](../benchmarks/results/containers.csv). The programs are in `tests/containers`.

- **points**: allocations at which an interrupt was due.
- **-O0, -O2**: at how many of them it did harm, if nothing protects the library. *Crashes*: the process ended by
  the signals named. *Inconsistent*: the object said it had other elements than it had. *Leaks*: blocks were left
  behind, each time. *Swallows*: the library caught the interrupt and went on.
- **with memprof**: what its [list of functions](../src/runtime/delivery/decide/unsafe_functions.txt) makes of it.
  *Waits* at so many points: the interrupt comes after the function, and no harm is left. Functions that were
  inlined are protected by a [file beside the program](checking-binaries.md#inlined-functions), as here.
  *Comes again*: what was swallowed is raised once more at a later allocation.
- **-O2 without that file**: what is left then, since a function without a frame is not seen.

Crashes come by chance of addresses and hashes: their number differs a little from run to run. "malloc only":
nothing in it calls `operator new`, so no interrupt is raised there, and the question is what it does with null
([`malloc_after_hit`](recovering.md#what-the-standard-library-does-with-an-interrupt)).
"""


def number(row, column):
    return int(row[column] or 0)


def harm(row):
    """What an interrupt did, in words."""
    if number(row, "points") == 0:
        nothing = row["how"].startswith("nothing")
        return "malloc only" if nothing else row["how"] or "no result"
    parts = []
    for column in HARM:
        if count := number(row, column):
            signals = f" ({row['how']})" if column == "crashes" and row["how"] else ""
            parts.append(f"{column} at {count}{signals}")
    return ", ".join(parts) or "survives"


def with_list(rows):
    """What is left of it, of rows with the list."""
    if not rows:
        return ""
    left = sorted({harm(row) for row in rows})
    if left == ["survives"]:
        waited = sorted({number(row, "waited") for row in rows})
        return f"waits at {' or '.join(map(str, waited))}"
    if all(text.startswith("swallows") for text in left):
        return "comes again"
    return "; ".join(left)


def level(row):
    return row["level"].split()[0]


def table(rows):
    lines = ["| type | operation | points | -O0 | -O2 | with memprof | -O2 without that file |",
             "|---|---|---|---|---|---|---|"]
    for kind, operation in dict.fromkeys((row["type"], row["operation"]) for row in rows):
        of_it = [row for row in rows if (row["type"], row["operation"]) == (kind, operation)]
        alone = {level(row): row for row in of_it if row["list"] == "without"}
        cells = [harm(alone[o]) if o in alone else "" for o in ("-O0", "-O2")]
        points = number(next(iter(alone.values())), "points") or ""
        cells += [with_list([row for row in of_it if row["list"] == which]) for which in ("with", "frames")]
        lines.append(f"| `{kind}` | {operation} | {points} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    if not RESULTS.exists():
        sys.exit(f"{RESULTS.relative_to(ROOT)} is missing: scripts/container_survey.py --record {RESULTS.name}")
    with open(RESULTS, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    parts = [INTRODUCTION]
    for library, version in sorted({(row["library"], row["version"]) for row in rows}, key=lambda l: l[0].lower()):
        parts.append(f"## {library} {version}\n")
        parts.append(table([row for row in rows if row["library"] == library]) + "\n")
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
