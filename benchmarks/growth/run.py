# SPDX-License-Identifier: MIT
"""Cost and memory as live heap, live samples, threads, limit scopes and call stacks grow.

usage: run.py BUILD [--rounds N] [--short] [--only SUBJECT ...] [--json FILE]

Each size is a process of its own, of memprof-benchmark-growth (with memprof, at the default rate 1e-4) and
of memprof-benchmark-growth-bare (the same source without), in turns; medians of the rounds. "With" is to be
read beside "bare" in the same line: what the heap itself costs more as it grows is in both. Below each table
stands what memprof adds at the largest size beside what it adds at the smallest.
"""

import argparse
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from driving import measuring  # noqa: E402

GIB = 2**30
# What grows, the sizes, and what is demanded of it.
SUBJECTS = {
    "heap": ("live heap, bytes in blocks of 64",
             [2**20, 2**24, 2**28, GIB, 2 * GIB, 4 * GIB, 8 * GIB]),
    "samples": ("blocks live and sampled (rate 1)",
                [100, 1_000, 10_000, 100_000, 1_000_000]),
    "threads": ("threads, each with an allocation", [1, 10, 100, 300, 1000]),
    "nested": ("limit scopes, each in the other", [1, 10, 100, 1_000, 10_000, 100_000]),
    "sequential": ("limit scopes, one after the other", [100, 1_000, 10_000, 100_000]),
    "depth": ("frames on the call stack; an interrupt (bare: a throw) through all of them",
              [10, 30, 100, 300, 1_000, 3_000, 10_000]),
}
SHORT = {"heap": 2**28, "samples": 10_000, "threads": 100, "nested": 1_000, "sequential": 10_000,
         "depth": 1_000}
# A block of 64 bytes takes 80 of glibc, a sampled one a page.
NEEDS = {"heap": lambda size: 80 / 64 * size * 1.15, "samples": lambda size: 4600 * size}


def size_text(subject, size):
    if subject != "heap":
        return f"{size:,}".replace(",", " ")
    return f"{size // GIB} GiB" if size >= GIB else f"{size // 2**20} MiB"


def number(value):
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 100 else f"{value:.1f}"


def measure(options, subject, size):
    """{"bare": {finding: median}, "with": ...}"""
    environment = {"MEMPROF_RATE": "1e-4"}
    names = {"bare": "growth-bare", "with": "growth"}
    runs = measuring.interleaved(
        {key: (lambda n=name: measuring.findings([measuring.program(options.build, n), subject, str(size)],
                                                 environment)) for key, name in names.items()},
        options.rounds)
    return {key: {what: statistics.median(run[what] for run in each) for what in each[0]}
            for key, each in runs.items()}


def report(subject, rows):
    """Prints the table of a subject; rows: [(size, {"bare": ..., "with": ...})]."""
    what = list(rows[0][1]["with"])
    lines = [[size_text(subject, size)]
             + [f"{number(found['bare'][name])} | {number(found['with'][name])}" for name in what]
             for size, found in rows]
    print(f"\n**{SUBJECTS[subject][0]}**\n")
    heads = [subject] + [part for name in what for part in (f"{name}, bare", "with")]
    print(measuring.table(heads, lines))
    added = [f"{name} {number(first)} -> {number(last)}" for name in what
             for first, last in [[found["with"][name] - found["bare"][name]
                                  for _, found in (rows[0], rows[-1])]]]
    print(f"\nadded, {size_text(subject, rows[0][0])} -> {size_text(subject, rows[-1][0])}: "
          + "; ".join(added), flush=True)


def main():
    parser = argparse.ArgumentParser(description="Cost and memory as things grow.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--short", action="store_true", help="smaller sizes, 2 rounds")
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=list(SUBJECTS))
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if options.short:
        options.rounds = 2
    results = {"machine": measuring.machine(), "load": measuring.load(), "rounds": options.rounds,
               "subjects": {}}
    print(f"{results['machine']}; {results['load']} at the start; {options.rounds} rounds")
    for subject in options.only:
        rows = []
        for size in SUBJECTS[subject][1]:
            if options.short and size > SHORT[subject]:
                continue
            need = NEEDS.get(subject, lambda _: 0)(size)
            if need > measuring.memory_available():
                print(f"\n{subject} at {size_text(subject, size)} needs {need / GIB:.1f} GiB, and "
                      f"{measuring.memory_available() / GIB:.1f} are available: left out")
                continue
            rows.append((size, measure(options, subject, size)))
        report(subject, rows)
        results["subjects"][subject] = [{"size": size, **found} for size, found in rows]
    if options.json:
        measuring.write_json(options.json, results)


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    main()
