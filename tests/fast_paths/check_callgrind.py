# SPDX-License-Identifier: MIT
"""The instructions that a pair of allocation and release costs more than in a program without memprof,
counted by callgrind and compared with golden/COMPILER.callgrind.txt.

usage: check_callgrind.py [--write]

Instructions of a pair: (I(2N) - I(N)) / N of the program `pairs`, which takes start and end off.
Callgrind does not replace malloc, so what is counted is glibc's and ours; glibc's part is taken off by the
same program without memprof in the same run. Idle (MEMPROF_RATE=0) the difference is a whole number and
must be met within 0.05. What the samples add to that at 1e-4 a word (about 0.09 % of the pairs have one;
which ones, the fixed seed makes the same in each run) must be met within 15 %: it differs by build type.
"""

import os
import re
import shutil
import subprocess
import sys

import golden

PAIRS = 100_000
PARTS = ["idle", "samples"]
HEAD = """SPDX-License-Identifier: MIT
Instructions of a pair of 64 bytes beyond the same pair without memprof, counted by callgrind: at idle
(MEMPROF_RATE=0), and what samples add to that at 1e-4 a word. page: malloc and free of an ordinary block that starts a page,
which costs no more than any other. tests/fast_paths/check_callgrind.py compares; --write writes."""


def tolerance(part, value):
    return 0.05 if part == "idle" else 0.15 * value


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
    """{(module, pair): {part: instructions beyond the bare program's}}"""
    bare = os.environ["MEMPROF_PAIRS_BARE"]
    modules = {}
    if preload := os.environ.get("MEMPROF_PRELOAD"):
        modules["preload"] = (bare, {"LD_PRELOAD": preload})
    if linked := os.environ.get("MEMPROF_PAIRS_LINKED"):
        modules["linked"] = (linked, {})
    rows = {}
    for what in ("malloc", "new", "page"):
        base = of_a_pair(bare, what, {})
        print(f"bare: {what}: {base:.3f} instructions a pair")
        for module, (program, environment) in modules.items():
            idle, on = (of_a_pair(program, what, {"MEMPROF_SEED": "42", **environment, "MEMPROF_RATE": rate})
                        for rate in ("0", "1e-4"))
            rows[module, what] = {"idle": idle - base, "samples": on - idle}
    return rows


def main():
    writing = "--write" in sys.argv[1:]
    file = golden.golden_file("callgrind", writing)
    if shutil.which("valgrind") is None:
        golden.skip("valgrind was not found: scripts/install_dependencies.sh judges")
    rows = measured()
    if writing:
        golden.write(file, HEAD, {key: [tuple(f"{row[part]:.2f}" for part in PARTS)]
                                  for key, row in rows.items()})
    before = {key: row for key, row in golden.rows_of(file).items()
              if key[0] in {module for module, _ in rows}}
    problems = []
    for key in sorted(before.keys() | rows.keys()):
        for part, old in zip(PARTS, before.get(key, [("nan", "nan")])[0]):
            new, old = rows.get(key, {}).get(part, float("nan")), float(old)
            print(f"{key[0]}: {key[1]}, {part}: {old:.2f} in the golden file, {new:.2f} now")
            if not abs(new - old) <= tolerance(part, old):
                problems.append(f"{key[0]}: {key[1]}, {part}: {old:.2f} -> {new:.2f}"
                                + (": MORE" if new > old else ""))
    if problems:
        print("\n".join(problems))
        print("If the change is meant: check_callgrind.py --write, and the reason in the commit.")
        sys.exit(1)


if __name__ == "__main__":
    main()
