# SPDX-License-Identifier: MIT
"""The instructions that a pair of allocation and release costs more than in a program without memprof,
counted by callgrind and compared with golden/COMPILER.callgrind.txt.

usage: check_callgrind.py [--write]

Instructions of a pair: (I(2N) - I(N)) / N of the program `pairs`, which takes start and end off.
Callgrind does not replace malloc, so what is counted is glibc's and ours; glibc's part is taken off by the
same program without memprof in the same run. Idle (MEMPROF_RATE=0) the difference is a whole number and
must be met within 0.05. At the default rate it contains the samples of N pairs, which the fixed seed makes
the same in each run; where memory lies differs, so that the tables' chains do: 4 % and 0.2 instructions.
"""

import os
import re
import shutil
import subprocess
import sys

import golden

PAIRS = 100_000
RATES = {"idle": "0", "1e-4": "1e-4"}
HEAD = """SPDX-License-Identifier: MIT
Instructions of a pair of 64 bytes beyond the same pair without memprof, counted by callgrind at idle
(MEMPROF_RATE=0) and at 1e-4 samples a word. tests/fast_paths/check_callgrind.py compares; --write writes."""


def tolerance(rate, value):
    return 0.05 if rate == "idle" else 0.2 + 0.04 * abs(value)


def instructions(program, what, count, environment):
    """Instructions of a whole run."""
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, what, str(count)],
        env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        print(run.stderr)
        sys.exit(f"{program} {what} {count} under valgrind: status {run.returncode}")
    return int(found.group(1))


def of_a_pair(program, what, environment):
    return (instructions(program, what, 2 * PAIRS, environment)
            - instructions(program, what, PAIRS, environment)) / PAIRS


def measured():
    """{(module, pair): {rate: instructions beyond the bare program's}}"""
    bare = os.environ["MEMPROF_PAIRS_BARE"]
    modules = {}
    if preload := os.environ.get("MEMPROF_PRELOAD"):
        modules["preload"] = (bare, {"LD_PRELOAD": preload})
    if linked := os.environ.get("MEMPROF_PAIRS_LINKED"):
        modules["linked"] = (linked, {})
    rows = {}
    for what in ("malloc", "new"):
        base = of_a_pair(bare, what, {})
        print(f"bare: {what}: {base:.3f} instructions a pair")
        for module, (program, environment) in modules.items():
            for rate, value in RATES.items():
                cost = of_a_pair(program, what, {**environment, "MEMPROF_RATE": value}) - base
                rows.setdefault((module, what), {})[rate] = cost
    return rows


def main():
    writing = "--write" in sys.argv[1:]
    file = golden.golden_file("callgrind", writing)
    if shutil.which("valgrind") is None:
        golden.skip("valgrind was not found: scripts/install_dependencies.sh judges")
    rows = measured()
    if writing:
        golden.write(file, HEAD, {key: [(f"{row['idle']:.2f}", f"{row['1e-4']:.2f}")]
                                  for key, row in rows.items()})
    before = {key: row for key, row in golden.rows_of(file).items()
              if key[0] in {module for module, _ in rows}}
    problems = []
    for key in sorted(before.keys() | rows.keys()):
        for rate, old in zip(RATES, before.get(key, [("nan", "nan")])[0]):
            new, old = rows.get(key, {}).get(rate, float("nan")), float(old)
            print(f"{key[0]}: {key[1]}, {rate}: {old:.2f} in the golden file, {new:.2f} now")
            if not abs(new - old) <= tolerance(rate, old):
                problems.append(f"{key[0]}: {key[1]}, {rate}: {old:.2f} -> {new:.2f}"
                                + (": MORE" if new > old else ""))
    if problems:
        print("\n".join(problems))
        print("If the change is meant: check_callgrind.py --write, and the reason in the commit.")
        sys.exit(1)


if __name__ == "__main__":
    main()
