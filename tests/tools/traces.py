# SPDX-License-Identifier: MIT
"""Golden traces for the tests of the command: all of $MEMPROF_TRACES, or the few in tests/data/traces."""

import gzip
import json
import os
import pathlib
import subprocess

COMMITTED = pathlib.Path(__file__).resolve().parent.parent / "data" / "traces"
FOLDER = pathlib.Path(os.environ.get("MEMPROF_TRACES") or COMMITTED)


def run(*arguments, command=None, **options):
    """The command memprof, or another one, in the folder of the traces. Text unless options say otherwise."""
    settings = {"capture_output": True, "text": True, "check": False, "cwd": FOLDER} | options
    return subprocess.run([command or os.environ["MEMPROF_COMMAND"], *arguments], **settings)


def report(*arguments):
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def traces():
    """Their names, without ".ctf"."""
    return sorted(path.stem for path in FOLDER.glob("*.ctf"))


def golden(name):
    """The bytes of a golden file, or None if there is none."""
    path = FOLDER / name
    if path.is_file():
        return path.read_bytes()
    packed = FOLDER / (name + ".gz")
    return gzip.decompress(packed.read_bytes()) if packed.is_file() else None


def facts(name):
    """The JSON beside a trace, or None."""
    text = golden(name + ".json")
    return None if text is None else json.loads(text)
