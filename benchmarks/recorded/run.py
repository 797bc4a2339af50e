# SPDX-License-Identifier: MIT
"""What `memprof record` costs beyond the samples: each workload of processes as it is, once more (A/A), recorded,
and with the same samples and stacks pushed into memory that nobody reads (unread.cpp), in interleaved rounds.

usage: run.py BUILD [--rounds N] [--rate R] [--json FILE]

Printed: medians of the rounds' ratios, and the quartiles, and whether they meet the goals. Times are those of
processes/run.py.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "processes"))
import goals  # noqa: E402
import programs  # noqa: E402
import run as processes  # noqa: E402
from variants import CONTROL, measuring  # noqa: E402

# The most that recorded / unread may be, in each workload, and recorded / as it is, of programs.
WORKLOAD = ("recorded / unread", 1.02)
PROGRAMS = {"python3": ("recorded", 1.05), "nlohmann-json": ("recorded", 1.04), "sqlite3": ("recorded", 1.03)}


def fitting(unread, bare, workload, count):
    """At most `count` operations, whose samples fit into the memory that nobody reads; two thirds of it."""
    while subprocess.run([*unread, bare, workload, str(int(count * 1.5))], capture_output=True,
                         check=False).returncode != 0:
        count /= 1.5
        if count < 100:
            sys.exit(f"{workload} does not run under {unread[0]}")
    return count


def real_programs(options, command, directory):
    """CPU of all processes, the recorder's, too."""
    print(measuring.table(["program", "CPU", "A/A", "recorded"], []))
    found, commands = programs.jobs_of(options, directory)
    results = {}
    for title in ("python3", "nlohmann-json", "sqlite3"):
        name = programs.PROGRAMS[title]
        if name not in commands:
            continue
        plain = commands[name]
        recorded = programs.tracing.workloads.Command(
            plain.name, [*command, *plain.command], plain.stdin, plain.environment)
        runs = measuring.interleaved({"bare": lambda: found[name]({}), "A/A": lambda: found[name]({}),
                                      "recorded": lambda: programs.tracing.run_command(recorded, {})},
                                     options.rounds)
        ratios = {way: measuring.ratios(runs[way], runs["bare"]) for way in ("A/A", "recorded")}
        base = measuring.Ratio(runs["bare"]).median
        print("| " + " | ".join([title, f"{base:.3f} s", *map(str, ratios.values())]) + " |", flush=True)
        results[title] = {"base": base, "values": runs, "ratios": ratios}
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rate", default="1e-4")
    parser.add_argument("--only", choices=["workloads", "programs"])
    parser.add_argument("--json")
    options = parser.parse_args()
    options.size = 1
    bare = measuring.program(options.build, "processes-bare")
    unread = measuring.program(options.build, "unread")
    command = str(pathlib.Path(options.build).resolve() / "bin" / "memprof")
    library = measuring.preload_library(options.build)
    os.environ["MEMPROF_PRELOAD"] = library
    print(f"{measuring.machine()}; {measuring.load()}; rate {options.rate}, {options.rounds} rounds\n")
    results = {}
    record = [command, "record", "-q", "-f", "--no-symbols", "--rate", options.rate]
    if options.only != "workloads":
        with tempfile.TemporaryDirectory() as directory:
            trace = str(pathlib.Path(directory) / "t.ctf")
            results |= real_programs(options, [*record, "-o", trace, "--"], pathlib.Path(directory))
        print()
    if options.only != "programs":
        results |= workloads(options, bare, unread, library, record)
    rows = []
    for what, row in results.items():
        column, most = PROGRAMS.get(what, WORKLOAD)
        rows.append([what, column, f"<= {most:.2f}", str(row["ratios"][column]),
                     goals.verdict(row["ratios"][column], most, row["ratios"][CONTROL])])
    print(f"\n**Goals**\n\n{measuring.table(['what', 'ratio', 'goal', 'measured', ''], rows)}")
    print(f"\n{measuring.load()} at the end")
    if options.json:
        measuring.write_json(options.json, processes.as_json(results))


def workloads(options, bare, unread, library, record):
    print(measuring.table(["workload", "as it is", "A/A", "unread", "recorded", "recorded / unread"], []))
    results = {}
    with tempfile.TemporaryDirectory() as directory:
        trace = str(pathlib.Path(directory) / "t.ctf")
        ways = {"bare": [], "A/A": [], "unread": [unread, library, options.rate],
                "recorded": [*record, "-o", trace, "--"]}
        for workload, (_, title, with_cpu) in processes.WORKLOADS.items():
            count = fitting(ways["unread"], bare, workload,
                            processes.operations({"bare": (bare, {})}, workload, options))
            runs = measuring.interleaved(
                {name: (lambda w=way: measuring.findings([*w, bare, workload, str(int(count))]))
                 for name, way in ways.items()}, options.rounds)
            for finding, what in [("ns", title), *([("cpu ns", title + ", CPU")] if with_cpu else [])]:
                values = {name: [r[finding] for r in each] for name, each in runs.items()}
                found = {name: measuring.ratios(values[name], values["bare"]) for name in ways if name != "bare"}
                found["recorded / unread"] = measuring.ratios(values["recorded"], values["unread"])
                base = measuring.Ratio(values["bare"]).median
                print("| " + " | ".join([what, f"{base:.4g} ns", *map(str, found.values())]) + " |", flush=True)
                results[what] = {"base": base, "values": values, "ratios": found}
    return results


if __name__ == "__main__":
    main()
