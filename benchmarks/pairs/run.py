# SPDX-License-Identifier: MIT
"""Runs memprof-benchmark-pairs and holds its rows against the goals that are judged in one process.

usage: run.py BUILD [--rounds N] [--processes N] [--json FILE]

Turns in which the processor did not predict indirect calls are repeated (--predicted): on some machines that
is so while another program is in the kernel on the core's other thread, and says nothing of memprof.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from driving import measuring  # noqa: E402

# What, its workload, the variant that is divided by bare, the most that it may be. "On" is a profile at
# 1e-4 samples a word with stacks.
GOALS = [
    ("idle / bare, 64 B", "64", "off", 1.10),
    ("on / bare, 64 B", "64", "on", 1.15),
    ("on / bare, 512 B", "512", "on", 1.45),
    ("on / bare, 8 x 64 B", "8x64", "on", 1.12),
    ("on / bare, 16 to 512 B", "rnd", "on", 1.15),
    ("on / bare, 4 KB", "4k", "on", 2.0),
    ("on / bare, 64 KB written", "64k-written", "on", 1.35),
    ("on / bare, 50 000 live", "wide", "on", 1.05),
    ("on / bare, 4 reads of 64 MB between", "thr4", "on", 1.08),
    ("1e-3 / bare, 16 to 512 B", "rnd", "on-1e-3", 1.4),
]
# Those that the program derives itself, by what it calls them.
DERIVED = [
    ("idle / pass-through, 64 B", "64", "loaded, off / pass-through", 1.03),
    ("idle / pass-through, 16 to 512 B", "rnd", "loaded, off / pass-through", 1.03),
    ("1e-5 / idle, 16 to 512 B", "rnd", "1e-5, stacks / loaded, off", 1.02),
    ("on, 100 000 live samples / 100", "rnd", "1e-4, stacks, 100 000 live / 1e-4, stacks, 100 live", 1.03),
    ("a sample and its stack / _Unwind_Backtrace, 512 B", "512",
     "a sample, 1e-4, stacks / _Unwind_Backtrace", 0.12),
    ("a sample and its stack / _Unwind_Backtrace, 4 KB", "4k",
     "a sample, 1e-4, stacks / _Unwind_Backtrace", 0.12),
]


def verdict(row, value, most):
    if not row["control_holds"]:
        return "does not count: its control, A/A, is off by more than 1 %"
    if value["median"] <= most:
        return "met"
    return "missed" if value["q1"] > most else "missed, within the quartiles"


def goals(results):
    """Rows of a table. The first series of a workload is the one that the goals are about."""
    rows, controls = {}, {}
    for row in results["rows"]:
        rows.setdefault((row["workload"], row["variant"]), row)
        controls.setdefault(row["workload"], row)
    derived = {(d["workload"], d["what"]): d for d in results["derived"]}
    found = []
    for what, workload, variant, most in GOALS:
        row = rows[workload, variant]
        found.append((what, most, {"median": row["ratio"], "q1": row["q1"], "q3": row["q3"]}, row))
    for what, workload, name, most in DERIVED:
        found.append((what, most, derived[workload, name], controls[workload]))
    return [[what, f"<= {most:g}", f"{value['median']:.3f} ({value['q1']:.3f} to {value['q3']:.3f})",
             verdict(row, value, most)] for what, most, value, row in found]


def main():
    parser = argparse.ArgumentParser(description="Pairs of malloc and free, and the goals.")
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(options.json or pathlib.Path(directory) / "pairs.json")
        run = subprocess.run([measuring.program(options.build, "pairs"), "--predicted", "--rounds",
                              str(options.rounds), "--processes", str(min(options.rounds, options.processes)),
                              "--json", str(file)], stdout=subprocess.PIPE, text=True,
                             check=False)
        if run.returncode != 0:
            sys.exit(f"memprof-benchmark-pairs ended with status {run.returncode}")
        results = json.loads(file.read_text(encoding="utf-8"))
    print(measuring.table(["goal", "at most", "measured", ""], goals(results)))
    print(f"\n<details><summary>All rows</summary>\n\n{run.stdout.strip()}\n\n</details>")


if __name__ == "__main__":
    main()
