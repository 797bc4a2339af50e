# SPDX-License-Identifier: MIT
"""What the judges have in common: traces, a server that runs, and skipping."""

import os
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

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


class LiveServer:
    """The example server, on a free port of loopback, until the end of the `with`."""

    def __init__(self):
        program = os.environ.get("MEMPROF_EXAMPLE_SERVER")
        if not program:
            skip("the example server was not built")
        self.program = program

    def __enter__(self):
        # Not `with`: it ends in __exit__.
        self.process = subprocess.Popen([self.program], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), line
        self.url = line.split()[-1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(timeout=60) == 0

    def get(self, path, accept=None):
        """(Content-Type, body)."""
        request = urllib.request.Request(self.url + path, headers={"Accept": accept} if accept else {})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.headers["Content-Type"], answer.read()

    def evaluate(self, expression, **headers):
        """The status."""
        request = urllib.request.Request(self.url + "/evaluate", expression.encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
