# SPDX-License-Identifier: MIT
"""Memory and time of blocks of 64 bytes that live at once, and what is left when they are freed: without memprof,
once more (A/A), preloaded and idle, at the default rate, at rate 1, and guarded at the default rate; in turns.

usage: fill.py BUILD [--rounds N] [--count N] [--json FILE]

Printed: medians over the rounds. A block of 64 bytes has 80 in glibc.
"""

import argparse
import statistics

from driving import measuring


def variants(build):
    preload = {"LD_PRELOAD": measuring.preload_library(build)}
    return {
        "bare": {},
        "A/A": {},
        "idle": {**preload, "MEMPROF_RATE": "0"},
        "on, 1e-4": {**preload, "MEMPROF_RATE": "1e-4"},
        "rate 1": {**preload, "MEMPROF_RATE": "1"},
        "guarded, 1e-4": {**preload, "MEMPROF_RATE": "1e-4", "MEMPROF_GUARD": "1"},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--json")
    options = parser.parse_args()

    program = measuring.program(options.build, "fill")
    print(f"{measuring.machine()}; {measuring.load()}; {options.rounds} rounds of {options.count} blocks\n")
    runs = measuring.interleaved(
        {name: lambda environment=environment: measuring.findings([program, str(options.count)], environment)
         for name, environment in variants(options.build).items()}, options.rounds)
    rows = []
    for name, found in runs.items():
        median = {key: statistics.median(run[key] for run in found) for key in found[0]}
        ratio = {key: measuring.ratios([run[key] for run in found], [run[key] for run in runs["bare"]])
                 for key in ("malloc ns", "bytes")}
        rows.append([name, f"{median['malloc ns']:.1f}", ratio["malloc ns"], f"{median['free ns']:.1f}",
                     f"{median['bytes']:.1f}", ratio["bytes"], f"{median['left'] / 2**20:.1f}"])
    print(measuring.table(["64 B", "malloc, ns", "/ bare", "free, ns", "bytes a block", "/ bare", "left, MiB"],
                          rows))
    if options.json:
        measuring.write_json(options.json, runs)


if __name__ == "__main__":
    main()
