# SPDX-License-Identifier: MIT
"""Makes each call that the preload library makes of the kernel fail, one at a time, until a run makes no more.

usage: run.py [--long] [--table FILE]

The program goes on and prints the same, nothing that we mapped is lost, and where a trace suffers somebody says so.
Then the same with null from the allocator beneath, and with the calls of the command that records: either it says why
it does not begin, or the program runs to its end. The short form takes some of many; --long takes all.
"""

import argparse
import pathlib
import sys
import tempfile
import time

from faulty_run import COMMANDS, Run, numbers
import of_command

KINDS = ["mmap", "munmap", "mremap", "mremap+mmap", "madvise", "futex", "getrandom", "openat", "open", "fcntl", "pread", "pread64", "fstat",
         "readlinkat", "close_range", "write", "ftruncate", "pthread_create", "pthread_key_create",
         "pthread_setspecific", "nanosleep", "rt_sigprocmask"]
# After these the trace is not what it would have been, so there must be a sentence.
SAYS_SO = {("traced", "open"), ("traced", "pthread_create"), ("traced", "write"), ("recorded", "pread")}
ANOTHER_WAY = {("preloaded", "mmap"): 8 << 20, ("traced", "mmap"): 8 << 20, ("recorded", "mmap"): 8 << 20,
               ("recorded", "pread"): 512 << 20}
# A block whose pages are not moved is copied, and its memory kept for the next one: up to eight times the largest.
KEPT = {kind: 8 * 5 << 20 for kind in ("mremap", "mremap+mmap")}

MAPPED = "bytes mapped at the end"


def compare(mode, kind, every, plain, run):
    """What is wrong with the run, in a line; empty if nothing is."""
    if (run.status, run.out) != (plain.status, plain.out):
        return f"status {run.status}, {run.out!r}, not {plain.status}, {plain.out!r}: {run.err[-300:]}"
    # What cannot be mapped in one way is mapped in another: sampled blocks one to a page, for instance, or channels
    # of the recorder for children, too, if it is not known that there are none.
    more = ANOTHER_WAY.get((mode, kind), KEPT.get(kind, 0))
    if kind != "munmap" and run.mapped > plain.mapped + more:
        return f"{run.mapped} {MAPPED}, not {plain.mapped}"
    if (mode, kind) in SAYS_SO and not (every and kind == "write") and "memprof: " not in run.err:
        return "nobody said so"
    return ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--long", action="store_true")
    options.add_argument("--table", type=pathlib.Path)
    chosen = options.parse_args()
    failures = 0
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for mode in ("preloaded", "traced", "recorded"):
            without = {kind: Run(mode, {"FAIL_CALL": kind, "FAIL_NUMBER": "0"}, folder) for kind in KINDS}
            # What is mapped depends on how far the thread that writes a trace has come: the most of all these runs.
            most = max(run.mapped for run in without.values())
            for kind, plain in without.items():
                plain.mapped = most
                if plain.status != 0 or plain.out != f"1 1 7 {plain.out.split()[-1]}\n":
                    sys.exit(f"{mode}: without a fault: status {plain.status}, {plain.out!r}: {plain.err}")
                if plain.calls == 0:
                    continue
                tried = 0
                wrong = []
                for n in numbers(plain.calls, chosen.long):
                    for every in ({}, {"FAIL_ALL": "1"}):
                        run = Run(mode, {"FAIL_CALL": kind, "FAIL_NUMBER": str(n), **every}, folder)
                        text = compare(mode, kind, every, plain, run)
                        for _ in range(2):
                            # A trace's writer that fell behind has mapped more; what is lost is lost each time.
                            if mode == "traced" and MAPPED in text:
                                run = Run(mode, {"FAIL_CALL": kind, "FAIL_NUMBER": str(n), **every}, folder)
                                text = compare(mode, kind, every, plain, run)
                        tried += 1
                        if text:
                            wrong.append(f"call {n}{' and all later' if every else ''}: {text}")
                rows.append((mode, kind, plain.calls, tried, len(wrong)))
                print(f"{mode}, {kind}: {plain.calls} calls, {tried} faults, {len(wrong)} wrong", flush=True)
                for text in wrong[:5]:
                    print(f"    {text}", flush=True)
                failures += len(wrong)
        failures += beneath(folder, chosen.long, rows)
        for mode in COMMANDS:
            failures += of_command.check(mode, folder, chosen.long, rows)
    if chosen.table:
        with chosen.table.open("w", encoding="utf-8") as out:
            out.write(f"{time.strftime('%Y-%m-%d')}\n\n| mode | call | calls of a run | faults | wrong |\n|---|---|---|---|---|\n")
            for row in rows:
                out.write("| " + " | ".join(map(str, row)) + " |\n")
    print(f"{sum(row[3] for row in rows)} faults, {failures} wrong")
    sys.exit(1 if failures else 0)


def beneath(folder, every, rows):
    """Null from the next allocator. Which request it is depends on what was sampled, so there is no count of them."""
    plain = Run("beneath", {}, folder)
    wrong = []
    settings = [{"FAIL_EVERY": str(n)} for n in (2, 3, 7, 50)]
    settings += [{"FAIL_NUMBER": str(n)} for n in range(1, 400, 1 if every else 25)]
    settings += [{"FAIL_NUMBER": str(n), "FAIL_ALL": "1"} for n in range(1, 400, 10 if every else 100)]
    for setting in settings:
        for rate in ("1", "1e-2"):
            run = Run("beneath", {**setting, "MEMPROF_RATE": rate}, folder)
            if run.status != 0 or run.out != plain.out:
                wrong.append(f"{setting} at {rate}: status {run.status}, {run.out!r}: {run.err[-300:]}")
    print(f"null from the allocator beneath: {2 * len(settings)} faults, {len(wrong)} wrong", flush=True)
    for text in wrong[:5]:
        print(f"    {text}", flush=True)
    rows.append(("preloaded", "malloc beneath", "", 2 * len(settings), len(wrong)))
    return len(wrong)


if __name__ == "__main__":
    main()
