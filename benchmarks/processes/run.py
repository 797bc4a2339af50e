# SPDX-License-Identifier: MIT
"""What memprof costs whole processes: linked and preloaded, idle and on, over other allocators, and real
programs, each as a ratio to the same without.

usage: run.py BUILD [--rounds N] [--size X] [--short] [--only PART ...] [--json FILE]

A round runs each variant of a workload once, each in a process of its own, in an order of its own. (Of real
programs there are as many rounds as fit into two minutes, 7 at least.) Printed:
the median of the rounds' ratios, and the quartiles. "A/A" is the bare program against itself: a row is
worth something if that is within 2 % of 1. Times are the thread's CPU; of workloads with several threads the
clock on the wall, which is what is lost end to end, and in a second row the process's CPU, ours included.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import goals
import programs
import statmemprof
import variants
from variants import BASE, measuring

# Workload: operations for each run, what it is, and whether CPU of the process is a row of its own.
WORKLOADS = {
    "new": (4e6, "new/delete 64 B", False),
    "malloc-64": (4e6, "malloc/free 64 B", False),
    "malloc-512": (4e6, "malloc/free 512 B", False),
    "rnd": (3e6, "rnd: 16 to 512 B, one of 512 live", False),
    "strings": (1e5, "vector of 32 strings", False),
    "two-threads": (4e6, "2 threads, rnd each", True),
    "four-threads": (4e6, "4 threads, rnd each", True),
    "producer-consumer": (1e6, "one allocates, another frees", True),
    "ring-of-four": (1e6, "4 threads, each frees what another allocated", True),
    "spawn": (2000, "thread with one allocation", True),
    "throw": (5000, "throw through 30 frames", False),
    "live": (6.25e6, "filling 400 MB of 64 B", False),
}
# What a process does at least, on a machine that is faster than the one the numbers above are from: less, and
# it shows what it costs to start.
LEAST_SECONDS = 0.12
OVER_ALLOCATORS = ["new", "malloc-512", "rnd", "ring-of-four"]
PARTS = ["workloads", "allocators", "statmemprof", "programs"]


def operations(columns, workload, options):
    """For each run: as many as the first column needs for LEAST_SECONDS, or more."""
    if workload == "live":
        return WORKLOADS[workload][0]  # the memory that is to be filled is what it is: 400 MB
    count = WORKLOADS[workload][0] * options.size
    program, environment = next(iter(columns.values()))
    each = measuring.findings([program, workload, str(int(count))], environment)["ns"]
    return max(count, LEAST_SECONDS * options.size * 1e9 / each)


def run_all(columns, workload, options):
    """{variant: [findings of each round]}"""
    count = operations(columns, workload, options)
    return measuring.interleaved(
        {name: (lambda p=program, e=environment:
                measuring.findings([p, workload, str(int(count))], e))
         for name, (program, environment) in columns.items()}, options.rounds)


def rows_of(title, runs, finding, unit, scale=1.0):
    """A row of a table and of the results: the base, then ratios to it."""
    values = {name: [run[finding] for run in each] for name, each in runs.items()}
    base = measuring.Ratio(values[BASE]).median
    found = {name: measuring.ratios(each, values[BASE]) for name, each in values.items() if name != BASE}
    return [title, f"{base * scale:.4g} {unit}"], {"base": base, "values": values, "ratios": found}


def measured_rows(columns, workload, options):
    """[(key, cells of the first columns, what was found)]"""
    _, title, with_cpu = WORKLOADS[workload]
    runs = run_all(columns, workload, options)
    rows = [(workload, *rows_of(title, runs, "ns", "ns"))]
    if with_cpu:
        rows.append((workload + ", CPU", *rows_of(title + ", CPU", runs, "cpu ns", "ns")))
    if workload == "live":
        rows.append(("memory", *rows_of("memory, 400 MB of 64 B live", runs, "bytes", "MB", 1e-6)))
    return rows


def workloads(options, directory):
    columns = variants.ours(options.build, directory)
    names = [name for name in columns if name != BASE]
    print("\n**Workloads, ratios to the bare program**\n")
    print(measuring.table(["workload", BASE, *names], []))
    results = {}
    for workload in WORKLOADS:
        for key, cells, found in measured_rows(columns, workload, options):
            print("| " + " | ".join(cells + [str(found["ratios"][name]) for name in names]) + " |",
                  flush=True)
            results[key] = found
    return results


def allocators(options, directory):
    found, remarks = variants.over_allocators(options.build, directory)
    results = {}
    print("\n**Over other allocators, ratios to the allocator alone; its own sampling beside**\n")
    own = sorted({name for columns in found.values() for name in columns if name.startswith("its own")},
                 key=lambda name: -int("".join(filter(str.isdigit, name))))
    names = [name for name in found["glibc"] if name != BASE] + own
    print(measuring.table(["allocator", "workload", "alone", *names], []))
    for workload in OVER_ALLOCATORS:
        # All allocators in the same rounds, so that they can be compared with one another.
        merged = {f"{allocator}/{name}": how for allocator, columns in found.items()
                  for name, how in columns.items()}
        runs = run_all(merged, workload, options)
        for allocator, columns in found.items():
            cells, row = rows_of(WORKLOADS[workload][1],
                                 {name: runs[f"{allocator}/{name}"] for name in columns}, "ns", "ns")
            print("| " + " | ".join([allocator, *cells]
                                    + [str(row["ratios"].get(name, "")) for name in names]) + " |",
                  flush=True)
            results[f"{allocator}/{workload}"] = row
    for remark in remarks:
        print(f"\n{remark}")
    return results


def as_json(what):
    if isinstance(what, measuring.Ratio):
        return what.as_json()
    if isinstance(what, dict):
        return {key: as_json(value) for key, value in what.items()}
    return what


def main():
    parser = argparse.ArgumentParser(description="What memprof costs whole processes.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--size", type=float, default=1.0, help="scales the work of each process")
    parser.add_argument("--short", action="store_true", help="3 rounds of a tenth of the work")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if options.short:
        options.rounds, options.size = 3, 0.1
    print(f"{measuring.machine()}; {measuring.load()} at the start; {options.rounds} rounds")
    results = {}
    with tempfile.TemporaryDirectory() as directory:
        if "workloads" in options.only:
            results["workloads"] = workloads(options, directory)
        if "allocators" in options.only:
            results["allocators"] = allocators(options, directory)
        if "statmemprof" in options.only:
            results["statmemprof"] = statmemprof.measure(options, directory)
        if "programs" in options.only:
            results["programs"] = programs.measure(options, pathlib.Path(directory))
            results["programs over allocators"] = programs.measure_over_allocators(
                options, pathlib.Path(directory))
    goals.report(results)
    if options.json:
        measuring.write_json(options.json, {"machine": measuring.machine(), "load": measuring.load(),
                                            **as_json(results)})


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    sys.exit(main())
