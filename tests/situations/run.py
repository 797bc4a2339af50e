# SPDX-License-Identifier: MIT
"""Runs nasty situations without memprof and under it, and compares what they print and how they end.

usage: run.py [--long] [--family NAME]... [--mode NAME]... [--table FILE] [SITUATION...]

Modes: `idle` (preloaded, off), `1e-3`, `1` (preloaded at these rates), `traced` (MEMTRACE), `recorded` and
`children` (`memprof record`, the latter with --children). The short form leaves out 1e-3, traced and children.
With --long also over jemalloc, tcmalloc and mimalloc, which stand before and after our library in LD_PRELOAD.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import outside
import programs

FOLDER = pathlib.Path(os.environ["MEMPROF_SITUATIONS"])
COMMAND = os.environ["MEMPROF_COMMAND"]
PRELOAD = os.environ["MEMPROF_PRELOAD"]
SHORT = ["idle", "1", "recorded"]
LONG = ["idle", "1e-3", "1", "traced", "recorded", "children"]
ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "mimalloc": "libmimalloc.so.2"}

# What behaves in another way over other allocators, with or without memprof, and why.
NOT_OVER = {
    "jemalloc": {"address_space", "fills_address_space", "data_limit", "filter_that_kills", "interrupted_malloc",
                 "taken_addresses", "strict_filter", "filter_without_memory"},
    "tcmalloc": {"address_space", "fills_address_space", "data_limit", "taken_addresses", "strict_filter",
                 "filter_without_memory", "own_break"},
    "mimalloc": {"address_space", "fills_address_space", "data_limit", "taken_addresses", "strict_filter",
                 "filter_without_memory"},
}


# What is known, and why (docs/reliability.md).
KNOWN = {
    # A recorded event reads the clock, which this filter forbids: the kernel disables its instruction.
    "strict_filter": {"traced", "recorded", "children"},
    # `record` refuses it with a sentence (outside.py).
    "static": {"recorded", "children"},
}


@dataclasses.dataclass
class Outcome:
    status: int
    out: bytes
    err: bytes


def run(command, environment, timeout=120):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=timeout,
                              env={**os.environ, **environment})
        return Outcome(done.returncode, done.stdout, done.stderr)
    except subprocess.TimeoutExpired as late:
        return Outcome(-1000, late.stdout or b"", b"it took longer than %d s" % timeout)


def preload(*libraries):
    return ":".join(library for library in libraries if library)


def run_in_mode(case, mode, before="", after=""):
    """Without memprof if the mode is `plain`. `before` and `after` stand around our library in LD_PRELOAD."""
    environment = dict(case.environment)
    before = preload(before, case.before)
    after = preload(case.after, after)
    if mode == "plain":
        return run(case.command, {**environment, "LD_PRELOAD": preload(before, after)})
    if mode in ("recorded", "children"):
        with tempfile.TemporaryDirectory() as folder:
            how = ["record", "-q", "--no-symbols", "--rate", "1e-2", "-o", f"{folder}/t.ctf"]
            if mode == "children":
                how.append("--children")
            outcome = run([COMMAND, *how, "--", *case.command],
                          {**environment, "LD_PRELOAD": preload(before, after)})
            for trace in pathlib.Path(folder).iterdir():
                read = subprocess.run([COMMAND, "identify", str(trace)], capture_output=True, check=False)
                if trace.suffix != ".ctf" or read.returncode != 0:
                    outcome.err += b"the trace cannot be read: " + read.stderr
        if outcome.status > 128:
            outcome.status = 128 - outcome.status
        return outcome
    environment["LD_PRELOAD"] = preload(before, PRELOAD, after)
    if mode == "traced":
        with tempfile.TemporaryDirectory() as folder:
            return run(case.command, {**environment, "MEMTRACE": f"{folder}/%p.ctf", "MEMTRACE_RATE": "1e-2"})
    return run(case.command, {**environment, "MEMPROF_RATE": "0" if mode == "idle" else mode})


def own_lines(text):
    return text if b"memprof: " not in text else b"".join(
        line for line in text.splitlines(True) if not line.startswith(b"memprof: "))


def difference(plain, got):
    """What differs, in a line; empty if nothing does."""
    if got.status != plain.status:
        return f"status {got.status}, without {plain.status}: {(got.err or got.out)[-300:]!r}"
    if got.out != plain.out:
        return f"printed {got.out[-300:]!r}, without {plain.out[-300:]!r}"
    if own_lines(got.err) != plain.err:
        return f"standard error {got.err[-300:]!r}, without {plain.err[-300:]!r}"
    return ""


def allocator_file(name):
    """The library, or nothing if it is not installed."""
    found = subprocess.run([os.environ.get("CC", "cc"), f"-print-file-name={name}"], capture_output=True, text=True,
                           check=False).stdout.strip()
    return found if found.startswith("/") else ""


def try_case(case, modes, allocators):
    """A row of the table: (case, mode) -> what differed."""
    row = {}
    plain = run_in_mode(case, "plain")
    if case.expected is not None and plain.status != case.expected:
        row["plain"] = f"status {plain.status}, not {case.expected}: {(plain.out + plain.err)[-300:]!r}"
        return row
    modes = [mode for mode in modes if mode not in KNOWN.get(case.name, ())]
    for mode in modes:
        row[mode] = difference(plain, run_in_mode(case, mode))
    for name, library in allocators.items():
        if case.name in NOT_OVER[name]:
            continue
        under = run_in_mode(case, "plain", after=library)
        for mode in modes:
            row[f"{mode} before {name}"] = difference(under, run_in_mode(case, mode, after=library))
            if mode not in ("recorded", "children"):  # which put ours first
                row[f"{mode} after {name}"] = difference(under, run_in_mode(case, mode, before=library))
    return row


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--long", action="store_true")
    options.add_argument("--family", action="append")
    options.add_argument("--mode", action="append", choices=LONG)
    options.add_argument("--table", type=pathlib.Path)
    options.add_argument("names", nargs="*")
    chosen = options.parse_args()
    modes = chosen.mode or (LONG if chosen.long else SHORT)
    allocators = {}
    if chosen.long:
        allocators = {name: file for name, soname in ALLOCATORS.items() if (file := allocator_file(soname))}
        for name in ALLOCATORS.keys() - allocators.keys():
            print(f"not over {name}: it is not installed")

    begin = time.monotonic()
    work = tempfile.TemporaryDirectory()
    cases = [case for case in programs.cases(FOLDER, pathlib.Path(work.name))
             if (not chosen.family or case.family in chosen.family) and (not chosen.names or case.name in chosen.names)]
    failures = []
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, row in zip(cases, pool.map(lambda c: try_case(c, modes, allocators), cases)):
            rows[case] = row
            different = {mode: text for mode, text in row.items() if text}
            print(f"{case.family}.{case.name}: {'as without' if not different else 'DIFFERENT'}", flush=True)
            for mode, text in different.items():
                print(f"    {mode}: {text}", flush=True)
            failures += [case.name] if different else []
    if not chosen.family or "outside" in chosen.family:
        for name, test in outside.tests(FOLDER, COMMAND, PRELOAD).items():
            if chosen.names and name not in chosen.names:
                continue
            text = test()
            print(f"outside.{name}: {text or 'as it should be'}", flush=True)
            if text and not text.startswith("skipped"):
                failures.append(name)
    if not rows and (chosen.names or not chosen.family or chosen.family != ["outside"]):
        sys.exit("there is no such situation")
    print(f"{len(rows)} situations, {sum(map(len, rows.values()))} comparisons, {len(failures)} differ; "
          f"{time.monotonic() - begin:.0f} s")
    if chosen.table:
        write_table(chosen.table, rows)
    sys.exit(1 if failures else 0)


def write_table(file, rows):
    columns = list(dict.fromkeys(mode for row in rows.values() for mode in row))
    with file.open("w", encoding="utf-8") as out:
        out.write(f"{time.strftime('%Y-%m-%d')}, Linux {platform.release()}, {os.cpu_count()} processors\n\n")
        out.write("| family | situation | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 2) + "|\n")
        for case, row in rows.items():
            marks = ["-" if mode not in row else "no" if row[mode] else "=" for mode in columns]
            out.write(f"| {case.family} | `{case.name}` | " + " | ".join(marks) + " |\n")


if __name__ == "__main__":
    main()
