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

# Why a situation is refused although the interrupt would arrive: what the binary does not show.
C_THAT_GOES_ON = "C code that goes on after the call. Nothing shows that it holds no resource this time"
FUTURE = "it waits for a better place first: raised here it would break a promise"
STREAM = "it waits for a better place first: raised here it would leave the stream bad"
WHY = {
    "asm_frame_with_cfi": "assembly without a C++ name counts as C",
    "async_deferred": FUTURE,
    "async_thread_body": FUTURE,
    "packaged_task_stores": FUTURE,
    "async_start": "under a handler of the library's futures; that it rethrows is not found out",
    "packaged_task_never_asked": FUTURE,
    "ostream_swallows_to_badbit": STREAM,
    "ostream_number_swallows": STREAM,
    "filesystem_path": "it is on the list of functions that do not survive an interrupt",
    "ostream_exceptions_badbit": STREAM,
    "ostream_flush_endl": STREAM,
    "ostringstream_insert": STREAM,
    "istream_extract_string": STREAM,
    "istream_extract_number": STREAM,
    "istream_getline_loop_hangs_if_swallowed": STREAM,
    "qsort_comparator_large_heap_buffer": C_THAT_GOES_ON,
    "c_library_with_cleanup_attribute": "C code that cleans up, in a process with two unwinders",
    "atexit_like_on_exit_handler": "`exit` is C, and goes on after the call",
    "bsearch_comparator": C_THAT_GOES_ON,
    "qsort_comparator_small": C_THAT_GOES_ON,
    "libc_tsearch_comparator": C_THAT_GOES_ON,
    "libxml2_sax_callback": C_THAT_GOES_ON,
    "c_library_tail_call": C_THAT_GOES_ON,
    "c_library_computes_then_returns": "C code that stores something after the call, on its own stack",
    "joined_thread_on_the_stack": "`~thread` terminates if it is joinable. Nothing shows that it was joined",
    "jthread_on_the_stack": "`~jthread` ends in `~thread`, which terminates if it is joinable",
}

INTRODUCTION = """\
# The pre-flight, compared with reality

This page shows how often the pre-flight is right with each supported compiler, and in which situations it is
wrong or too careful. The [pre-flight](architecture.md#the-pre-flight) decides whether an interrupt may be
raised at an allocation.

The tests in `tests/delivery/situations` ask the pre-flight, and then raise the interrupt whatever the answer
was. `scripts/delivery_matrix.py --record` runs them in each configuration of a system and writes
[the raw results](../benchmarks/results/delivery); `scripts/check_distribution.sh --matrix NAME` does so with
the compilers of another Debian. `scripts/delivery_page.py` writes this page from the results.

The results are of 24 November 2026. Situations inside streams and futures of libstdc++ count as needless: a
forced interrupt passes them unharmed, but ours waits for a better place first
([how](recovering.md#what-the-standard-library-does-with-an-interrupt)).

A configuration is a level of optimisation and a way to link: `-O0` and `-O2`; with g++ 12 on Debian 12 `-O0`
to `-O3`, each as a program, with shared libraries and static, and at `-O2` with link-time optimisation and
stripped. In the table:

- **wrong**: the answer was "deliver", and the process terminated, hung or was damaged, or the situation is
  one in which an interrupt must be deferred.
- **known**: the same, but the binary does not show it, or the compiler or the C++ library has a defect that
  any exception meets ([below](#known-causes)).
- **needless**: the answer was "defer", and the interrupt would have arrived unharmed; **share**: of all
  interrupts that would have.
- **refused or not reached**: the answer was "defer" in a situation in which an interrupt must be delivered,
  or the compiler removed the allocation.
- **not alive**: the process was harmed when the interrupt was raised as the library does it, only where the
  answer is "deliver" and else at a later allocation.
- **swept, harm**: so many allocations of real workloads (containers, streams, GiNaC, JSON, SQLite, threads)
  were interrupted at `-O2`, each in a process of its own, and so many of these interrupts did harm.
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
    missing = [key[0] for key in sorted(whole.keys() - count.keys(), key=lambda k: version_key(k[0]))]
    if len(missing) <= 2:
        possible = sum(whole[key] for key in count)
        among = f", {count.total()} of {possible} configurations" if count.total() < possible else ""
        return "all" + (f" but {' and '.join(missing)}" if missing else "") + among
    parts = []
    for key in sorted(count, key=lambda k: version_key(k[0])):
        parts.append(key[0] if count[key] == whole[key] else f"{key[0]} ({count[key]} of {whole[key]})")
    return "; ".join(parts)


def where(rows, configurations, judgement, describe):
    """A row for each cause and set of compilers, with all its situations."""
    groups = collections.defaultdict(list)
    for row in rows:
        if row["judgement"] == judgement:
            groups[row["situation"], describe(row)].append(row)
    merged = collections.defaultdict(list)
    for (situation, cause), group in sorted(groups.items()):
        merged[cause, compilers_in(group, configurations)].append(f"`{situation}`")
    table = [["cause" if judgement == "known" else "why", "situations", "where"]]
    for (cause, compilers), names in sorted(merged.items()):
        table.append([cause, ", ".join(names), compilers])
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
        "*Where* names compilers, and how many of their configurations if not all.\n",
        where(situations, configurations, "known", lambda row: row["cause"]),
        "## Needless refusals\n",
        where(situations, configurations, "needless", lambda row: WHY[row["situation"]]),
    ]), encoding="utf-8")


if __name__ == "__main__":
    main()
