#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/delivery-matrix.md from what scripts/delivery_matrix.py --record left in
benchmarks/results/delivery, a folder for each system."""

import collections
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "delivery"
PAGE = ROOT / "docs" / "delivery-matrix.md"

# Why a situation is refused although the interrupt would arrive: what cannot be seen there.
C_THAT_GOES_ON = "C that goes on after the call; that it holds nothing this time cannot be seen"
FUTURE = "the future keeps it; whether somebody asks for it cannot be seen"
WHY = {
    "asm_frame_with_cfi": "assembly whose name is not C++ counts as C",
    "async_deferred": FUTURE,
    "async_thread_body": FUTURE,
    "packaged_task_stores": FUTURE,
    "async_start": "under a handler of the library's futures; that it rethrows is not understood",
    "qsort_comparator_large_heap_buffer": C_THAT_GOES_ON,
    "c_library_with_cleanup_attribute": "C that cleans up, in a process with two unwinders: they do not mix",
    "atexit_like_on_exit_handler": "`exit` is C, and goes on after the call",
    "bsearch_comparator": C_THAT_GOES_ON,
    "qsort_comparator_small": C_THAT_GOES_ON,
    "libc_tsearch_comparator": C_THAT_GOES_ON,
    "libxml2_sax_callback": C_THAT_GOES_ON,
    "c_library_tail_call": C_THAT_GOES_ON,
    "c_library_computes_then_returns": "C that stores something after the call, if only on its own stack",
    "joined_thread_on_the_stack": "`~thread` terminates if it is joinable; that it was joined cannot be seen",
    "jthread_on_the_stack": "`~jthread` ends in `~thread`, which terminates if it is joinable",
    "ostream_exceptions_badbit": "the stream's handler rethrows only if its mask says so",
}

INTRODUCTION = """\
# Verdicts of the pre-flight against reality

In every situation of `tests/delivery/situations` the pre-flight is asked whether an interrupt may be raised
there, and then it is raised whatever the answer was. This page is written by `scripts/delivery_page.py` from
[the raw results](../benchmarks/results/delivery), which `scripts/delivery_matrix.py --record` measured on
each system; `scripts/check_distribution.sh --matrix NAME` measures a distribution's compilers in a folder.

- **wrong**: "deliver", and it ended in `std::terminate`, damage or a hang; or it must be deferred.
- **known**: the same, where the binary does not show it, or the compiler or the C++ library has a defect that
  any exception meets ([below](#known-causes)).
- **needless**: "defer", and it would have arrived unharmed; as a share of all that would.
- **refused or not reached**: "defer" where it must be delivered; or the compiler removed the allocation.
- **not alive**: as the library behaves (raised only on "deliver", else tried at the next allocation), and
  the process was harmed.

A configuration is a level of optimisation and a way to link: `-O0` and `-O2`; with g++ 12 on
Debian 12 `-O0` to `-O3`, as a program, with shared libraries and static, with link-time optimisation and
stripped. **swept**: as many allocations of real workloads (containers, streams, GiNaC, JSON, SQLite, threads)
were interrupted in a process each, at `-O2`; and how often that did harm.
"""


def read(name):
    rows = []
    for path in sorted(RESULTS.glob(f"*/{name}.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                rows.append({**row, "system": path.parent.name})
    return rows


def compiler_of(row):
    return f"{row['compiler']}, {row['library']}"


def version_key(name):
    return [(not part[0].isdigit(), int(part) if part.isdigit() else part)
            for part in name.replace(",", " ").replace(".", " ").split()]


def as_table(rows):
    lines = ["| " + " | ".join(map(str, cells)) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) + "\n"


def span(values):
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def by_compiler(rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[compiler_of(row), row["system"]].append(row)
    table = [["compiler and library", "system", "configurations", "situations", "wrong", "known", "needless",
              "share", "refused or not reached", "not alive", "swept, harm"]]
    for (compiler, system), group in sorted(groups.items(), key=lambda g: version_key(g[0][0])):
        def total(column, group=group):
            return sum(int(row[column]) for row in group)
        needless = [int(row["needless"]) for row in group]
        share = [round(100 * int(row["needless"]) / max(1, int(row["delivered"]))) for row in group]
        swept = [f"{row['swept']}, {row['swept wrong']}" for row in group if row["swept"]]
        table.append([compiler, system, len(group), span([int(row["situations"]) for row in group]),
                      total("wrong"), span([int(row["known"]) for row in group]), span(needless),
                      f"{span(share)} %", total("refused") + total("not reached"), total("not alive"),
                      swept[0] if swept else ""])
    return as_table(table)


def compilers_in(rows, all_configurations):
    """Which compilers, and how many of their configurations."""
    count = collections.Counter((compiler_of(r), r["system"]) for r in rows)
    whole = collections.Counter((compiler_of(r), r["system"]) for r in all_configurations)
    if count == whole:
        return "all"
    parts = []
    for key in sorted(count, key=lambda k: version_key(k[0])):
        parts.append(key[0] if count[key] == whole[key] else f"{key[0]} ({count[key]} of {whole[key]})")
    return "; ".join(parts)


def where(rows, configurations, judgement, describe):
    groups = collections.defaultdict(list)
    for row in rows:
        if row["judgement"] == judgement:
            groups[row["situation"], describe(row)].append(row)
    table = [["situation", "cause" if judgement == "known" else "why", "where"]]
    for (situation, cause), group in sorted(groups.items()):
        table.append([f"`{situation}`", cause, compilers_in(group, configurations)])
    return as_table(table) if groups else "None.\n"


def main():
    configurations = read("configurations")
    situations = read("situations")
    if not configurations:
        sys.exit(f"{RESULTS.relative_to(ROOT)} has no results: scripts/delivery_matrix.py --record")
    unexplained = {row["situation"] for row in situations if row["judgement"] == "needless"} - WHY.keys()
    if unexplained:
        sys.exit(f"{sys.argv[0]} does not say why these are refused needlessly: {sorted(unexplained)}")
    PAGE.write_text("\n".join([
        INTRODUCTION, by_compiler(configurations),
        "## Known causes\n",
        where(situations, configurations, "known", lambda row: row["cause"]),
        "## Needless refusals\n",
        where(situations, configurations, "needless", lambda row: WHY[row["situation"]]),
    ]), encoding="utf-8")


if __name__ == "__main__":
    main()
