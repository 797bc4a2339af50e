# SPDX-License-Identifier: MIT
"""Runs a command without memprof and under it in several modes, and compares what it prints and how it ends: for
tests/situations and tests/real.

Modes: `idle` (preloaded, off), `1e-3`, `1` (preloaded at these rates), `traced` (MEMTRACE), `recorded` and
`children` (`memprof record`, the latter with --children)."""

import dataclasses
import os
import pathlib
import platform
import subprocess
import tempfile
import time

COMMAND = os.environ["MEMPROF_COMMAND"]
PRELOAD = os.environ["MEMPROF_PRELOAD"]
MODES = ["idle", "1e-3", "1", "traced", "recorded", "children"]
ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "mimalloc": "libmimalloc.so.2"}


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    family: str
    name: str
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    before: str = ""  # libraries in LD_PRELOAD before ours
    after: str = ""
    expected: int | None = None  # the exit status, where a mistake of the test could hide
    timeout: int = 120


@dataclasses.dataclass
class Outcome:
    status: int
    out: bytes
    err: bytes


def run(command, environment, timeout):
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
        return run(case.command, {**environment, "LD_PRELOAD": preload(before, after)}, case.timeout)
    if mode in ("recorded", "children"):
        with tempfile.TemporaryDirectory() as folder:
            how = ["record", "-q", "--no-symbols", "--rate", "1e-2", "-o", f"{folder}/t.ctf"]
            if mode == "children":
                how.append("--children")
            outcome = run([COMMAND, *how, "--", *case.command],
                          {**environment, "LD_PRELOAD": preload(before, after)}, case.timeout)
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
            return run(case.command, {**environment, "MEMTRACE": f"{folder}/%p.ctf", "MEMTRACE_RATE": "1e-2"},
                       case.timeout)
    return run(case.command, {**environment, "MEMPROF_RATE": "0" if mode == "idle" else mode}, case.timeout)


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


def try_case(case, modes, allocators, not_over=None):
    """A row of the table: what differed in each mode; None if the program says that it cannot be tried here."""
    row = {}
    plain = run_in_mode(case, "plain")
    if plain.out.startswith(b"skipped: "):
        print(f"{case.family}.{case.name}: {plain.out.decode().strip()}", flush=True)
        return None
    if case.expected is not None and plain.status != case.expected:
        row["plain"] = f"status {plain.status}, not {case.expected}: {(plain.out + plain.err)[-300:]!r}"
        return row
    for mode in modes:
        row[mode] = difference(plain, run_in_mode(case, mode))
    for name, library in allocators.items():
        if case.name in (not_over or {}).get(name, ()):
            continue
        under = run_in_mode(case, "plain", after=library)
        for mode in modes:
            row[f"{mode} before {name}"] = difference(under, run_in_mode(case, mode, after=library))
            if mode not in ("recorded", "children"):  # which put ours first
                row[f"{mode} after {name}"] = difference(under, run_in_mode(case, mode, before=library))
    return row


def installed_allocators():
    """Names and files of the allocators that are installed; says which are not."""
    allocators = {name: file for name, soname in ALLOCATORS.items() if (file := allocator_file(soname))}
    for name in ALLOCATORS.keys() - allocators.keys():
        print(f"not over {name}: it is not installed")
    return allocators


def report(case, row):
    """Prints how the case went; false if something differed."""
    different = {mode: text for mode, text in row.items() if text}
    print(f"{case.family}.{case.name}: {'as without' if not different else 'DIFFERENT'}", flush=True)
    for mode, text in different.items():
        print(f"    {mode}: {text}", flush=True)
    return not different


def write_table(file, rows):
    columns = list(dict.fromkeys(mode for row in rows.values() for mode in row))
    with file.open("w", encoding="utf-8") as out:
        out.write(f"{time.strftime('%Y-%m-%d')}, Linux {platform.release()}, {os.cpu_count()} processors\n\n")
        out.write("| family | situation | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 2) + "|\n")
        for case, row in rows.items():
            marks = ["-" if mode not in row else "no" if row[mode] else "=" for mode in columns]
            out.write(f"| {case.family} | `{case.name}` | " + " | ".join(marks) + " |\n")
