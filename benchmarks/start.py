# SPDX-License-Identifier: MIT
"""How much later /bin/true ends with memprof preloaded: without it, once more (A/A), idle, at the default rate, and
traced; in turns.

usage: start.py BUILD [--rounds N]

Printed: what is added to the fastest start, and to the one that a tenth are faster than. Most of a start's time is
the machine's business, so on a busy one only the fastest say anything.
"""

import argparse
import os
import pathlib
import tempfile
import time

from driving import measuring


def milliseconds(environment):
    begin = time.perf_counter()
    child = os.posix_spawn("/bin/true", ["true"], {"PATH": "/usr/bin:/bin", **environment})
    os.waitpid(child, 0)
    return (time.perf_counter() - begin) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=1500)
    options = parser.parse_args()
    preload = {"LD_PRELOAD": measuring.preload_library(options.build)}
    with tempfile.TemporaryDirectory() as directory:
        trace = str(pathlib.Path(directory) / "trace.ctf")
        variants = {"bare": {}, "A/A": {}, "preloaded, idle": {**preload, "MEMPROF_RATE": "0"},
                    "preloaded, on": preload,
                    "traced": {**preload, "MEMPROF_RATE": "0", "MEMTRACE": trace}}
        print(f"{measuring.machine()}; {measuring.load()}; {options.rounds} rounds\n")
        runs = measuring.interleaved(
            {name: lambda environment=environment: milliseconds(environment)
             for name, environment in variants.items()}, options.rounds)
    rows = []
    for name, times in runs.items():
        ordered, bare = sorted(times), sorted(runs["bare"])
        tenth = len(bare) // 10
        rows.append([name, f"{ordered[0]:.2f}", f"{ordered[0] - bare[0]:.2f}", f"{ordered[tenth] - bare[tenth]:.2f}"])
    print(measuring.table(["/bin/true", "fastest, ms", "added", "added to the tenth"], rows))


if __name__ == "__main__":
    main()
