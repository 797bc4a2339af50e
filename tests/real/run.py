# SPDX-License-Identifier: MIT
"""Runs real programs without memprof and under it, and compares what they print and how they end.

usage: run.py [--long] [--mode NAME]... [--table FILE] [PROGRAM...]

Each script of scripts/ is one program at work. What it prints is the same each time: results, digests of files and
data. It runs in a folder of its own, with SOURCE, the sources of memprof, and SITUATIONS, the program of
tests/situations. Its line `# needs:` names commands; without them, or if it prints "skipped: ...", it is skipped.
The short form (REAL_SHORT is set) has fewer modes and less work. With --long also over jemalloc, tcmalloc and
mimalloc, before and after our library.
"""

import argparse
import os
import pathlib
import re
import shutil
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "support"))

import modes  # noqa: E402

SHORT = ["1", "children"]
LONG = ["idle", "1e-3", "1", "traced", "children"]
IN_NEW_FOLDER = 'd=$(mktemp -d) && cd "$d" && trap "rm -rf $d" EXIT && bash "$1"'


def missing(script):
    needs = re.search(r"^# needs: (.*)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    return [name for name in needs[1].split() if shutil.which(name) is None]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--long", action="store_true")
    options.add_argument("--mode", action="append", choices=modes.MODES)
    options.add_argument("--table", type=pathlib.Path)
    options.add_argument("names", nargs="*")
    chosen = options.parse_args()
    in_modes = chosen.mode or (LONG if chosen.long else SHORT)
    allocators = modes.installed_allocators() if chosen.long else {}
    environment = {"SOURCE": str(HERE.parents[1]), "SITUATIONS": os.environ["MEMPROF_SITUATIONS"] + "/situations",
                   "LC_ALL": "C.UTF-8"}
    if not chosen.long:
        environment["REAL_SHORT"] = "1"
    rows = {}
    failures = []
    for script in sorted((HERE / "scripts").glob("*.sh")):
        if chosen.names and script.stem not in chosen.names:
            continue
        if absent := missing(script):
            print(f"real.{script.stem}: skipped, without {', '.join(absent)}", flush=True)
            continue
        begin = time.monotonic()
        case = modes.Case("real", script.stem, ["bash", "-c", IN_NEW_FOLDER, "bash", str(script)], environment,
                          expected=0, timeout=1200)
        row = modes.try_case(case, in_modes, allocators)
        if row is None:
            continue
        rows[case] = row
        failures += [] if modes.report(case, row) else [case.name]
        print(f"    {time.monotonic() - begin:.1f} s", flush=True)
    if not rows:
        sys.exit("there is no such program here")
    print(f"{len(rows)} programs, {sum(map(len, rows.values()))} comparisons, {len(failures)} differ")
    if chosen.table:
        modes.write_table(chosen.table, rows)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
