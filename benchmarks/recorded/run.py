# SPDX-License-Identifier: MIT
"""What `memprof record` costs beyond the samples: each workload of processes as it is, once more (A/A), recorded,
and with the same samples and stacks pushed into memory that nobody reads (unread.cpp), in interleaved rounds.

usage: run.py BUILD [--rounds N] [--rate R] [--json FILE]

Printed: medians of the rounds' ratios, and the quartiles. Times are those of processes/run.py. The goal for
recorded / unread is 1.02 at most in each row.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "processes"))
import run as processes  # noqa: E402
from variants import measuring  # noqa: E402


def fitting(unread, bare, workload, count):
    """At most `count` operations, whose samples fit into the memory that nobody reads; two thirds of it."""
    while subprocess.run([*unread, bare, workload, str(int(count * 1.5))], capture_output=True,
                         check=False).returncode != 0:
        count /= 1.5
        if count < 100:
            sys.exit(f"{workload} does not run under {unread[0]}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rate", default="1e-4")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.size = 1
    bare = measuring.program(options.build, "processes-bare")
    unread = measuring.program(options.build, "unread")
    command = str(pathlib.Path(options.build).resolve() / "bin" / "memprof")
    library = measuring.preload_library(options.build)
    os.environ["MEMPROF_PRELOAD"] = library
    print(f"{measuring.machine()}; {measuring.load()}; rate {options.rate}, {options.rounds} rounds\n")
    print(measuring.table(["workload", "as it is", "A/A", "unread", "recorded", "recorded / unread"], []))
    results = {}
    with tempfile.TemporaryDirectory() as directory:
        trace = str(pathlib.Path(directory) / "t.ctf")
        ways = {"bare": [], "A/A": [], "unread": [unread, library, options.rate],
                "recorded": [command, "record", "-q", "-f", "--no-symbols", "--rate", options.rate, "-o", trace, "--"]}
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
    print(f"\n{measuring.load()} at the end")
    if options.json:
        measuring.write_json(options.json, processes.as_json(results))


if __name__ == "__main__":
    main()
