# SPDX-License-Identifier: MIT
"""What the judges have in common: traces, and skipping."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
sys.dont_write_bytecode = True

import golden  # noqa: E402

CACHE = pathlib.Path(os.environ.get("MEMPROF_JUDGES_CACHE") or ".").resolve()
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def traces():
    """A few that differ: all small ones, and of the others two."""
    names = sorted(golden.names(), key=lambda n: golden.trace(n).stat().st_size)
    small = [n for n in names if golden.trace(n).stat().st_size < 200_000]
    return small + [n for n in names if n not in small][:2]


def converted(name, to, suffix, *arguments):
    """The trace in another format, in a file."""
    CACHE.mkdir(parents=True, exist_ok=True)
    file = CACHE / f"{name}.{suffix}"
    golden.run("convert", golden.trace(name), "--to", to, *arguments, "-f", "-o", file)
    return file
