# SPDX-License-Identifier: MIT
"""Traces with golden outputs, for the tests of commands: those of $MEMPROF_TRACES, or else the few that
lie in tests/data/traces. And running the command."""

import functools
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(os.environ.get("MEMPROF_TRACES") or HERE.parent / "data" / "traces")


def run(*arguments, text=True, status=0, **options):
    """The command's result; it must end with `status` (None: any)."""
    result = subprocess.run([os.environ["MEMPROF_COMMAND"], *map(str, arguments)],
                            capture_output=True, text=text, check=False, **options)
    if status is not None and result.returncode != status:
        raise AssertionError(f"memprof {' '.join(map(str, arguments))}: status {result.returncode}, "
                             f"{result.stderr}")
    return result


@functools.cache
def names():
    """All of them that have numbers to compare with."""
    found = sorted(path.stem for path in FOLDER.glob("*.json")
                   if path.with_suffix(".ctf").exists())
    if not found:
        raise AssertionError(f"there are no traces in {FOLDER}")
    return found


def trace(name):
    return FOLDER / f"{name}.ctf"


@functools.cache
def facts(name):
    return json.loads((FOLDER / f"{name}.json").read_text())
