# SPDX-License-Identifier: MIT
"""Calls that the command itself makes, `memprof record` and `memprof run`, which fail one at a time.

Either it says why it does not begin, and then no program runs; or the program runs to its end as without it, the
trace can be read, and what is missing is named.
"""

import re
import subprocess
import sys

from faulty_run import COMMAND, COMMANDS, Run, numbers

KINDS = ["memfd_create", "pipe2", "fork", "mmap", "munmap", "open", "read", "pread", "write", "pwrite", "ftruncate",
         "fallocate", "fcntl", "fstat", "stat", "poll", "pidfd_open", "pidfd_getfd", "rename", "unlink",
         "pthread_create", "futex", "close_range", "nanosleep"]


def sentences(err):
    """What was said, without numbers and names of processes."""
    return {re.sub(r"\d+", "0", line) for line in err.splitlines() if line.startswith("memprof: ")}


def samples(err):
    return sorted(re.findall(r" (\d+) samples,", err))


def what_is_wrong(kind, plain, run, folder):
    """With a run of the command in which a call of its own failed, in a line; empty if nothing is."""
    if run.status not in (plain.status, 1, 126, 127):
        return f"status {run.status}"
    if run.out not in (plain.out, ""):
        return f"{run.out!r}, not {plain.out!r}"
    more = sentences(run.err) - sentences(plain.err)
    if run.status == 0 and run.out == "":
        return "the program did not run"
    if run.status != 0 and not more:
        return f"status {run.status}, and nobody says why"
    # Without a trace it ends with 1; but then it has waited for the program.
    if run.status != plain.status and run.out and not re.search("cannot (open|write) trace file", run.err):
        return "it left the program alone"
    if not more and samples(run.err) != samples(plain.err):
        return "another trace, and nobody says so"
    if more and "no block was sampled" in run.err:
        return "it concludes from a part of a trace"
    for left in folder.glob("*.part"):
        if kind != "unlink" and left.name not in run.err:
            return f"{left.name} is left, and nobody says so"
    for trace in folder.glob("*.ctf"):
        read = subprocess.run([COMMAND, "stats", "--no-symbols", str(trace)], capture_output=True, text=True, check=False)
        if read.returncode != 0:
            return f"a trace that cannot be read: {read.stderr}"
    return ""


def check(mode, folder, every, rows):
    """Calls of the command itself, one after another. How many faults it took wrongly."""
    failures = 0
    for kind in KINDS:
        plain = Run(mode, {"FAIL_CALL": kind, "FAIL_NUMBER": "0"}, folder)
        if plain.status != 0 or not plain.out.startswith("1 1 7 "):
            sys.exit(f"{mode}: without a fault: status {plain.status}, {plain.out!r}: {plain.err}")
        wrong = []
        tried = 0
        for n in numbers(plain.calls, every, 3):
            for later in ({}, {"FAIL_ALL": "1"}):
                run = Run(mode, {"FAIL_CALL": kind, "FAIL_NUMBER": str(n), **later}, folder)
                tried += 1
                text = what_is_wrong(kind, plain, run, folder)
                if text:
                    wrong.append(f"call {n}{' and all later' if later else ''}: {text}: {run.err[-300:]}")
        if plain.calls > 0:
            rows.append((mode, kind, plain.calls, tried, len(wrong)))
            print(f"{mode}, {kind}: {plain.calls} calls, {tried} faults, {len(wrong)} wrong", flush=True)
        for text in wrong[:5]:
            print(f"    {text}", flush=True)
        failures += len(wrong)
    return failures
