# SPDX-License-Identifier: MIT
"""Google's pprof and Prometheus' promtool ask `memprof run --listen` about a program that knows nothing of it, while it
grows by 10 MiB a second: top, tree and differences over seconds, and totals that agree with /metrics."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import judging
from pprof_judge import pprof

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))

from limited import COMMAND, LEAK  # noqa: E402

OPENMETRICS = "application/openmetrics-text;version=1.0.0"
# Sums of a profile are rounded in each of its rows, of which there are a few.
ROUNDING = 64


class Watched:
    """A program under `memprof run --listen`, until the end of the `with`."""

    def __init__(self):
        folder = judging.CACHE / "run_listen"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "leak.c").write_text(LEAK, encoding="utf-8")
        subprocess.run([os.environ.get("CC", "cc"), "-g", "-O1", "leak.c", "-o", "leak"], cwd=folder, check=True)
        # At this rate 1300 samples a second.
        self.process = subprocess.Popen([COMMAND, "run", "--memory", "8GiB", "--rate", "1e-3", "--listen", "127.0.0.1:0",
                                         "--", "./leak", "2000", "200000", "wait"], cwd=folder, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        line = self.process.stderr.readline()
        assert line.startswith("memprof: listening on http://127.0.0.1:"), line
        self.url = line.split()[-1]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        errors = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 128 + signal.SIGTERM, (self.process.returncode, errors)

    def page(self, accept=""):
        request = urllib.request.Request(self.url + "/metrics", headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def value(self, name):
        return float(re.search(rf"^{re.escape(name)} (\S+)$", self.page(), re.MULTILINE)[1])

    def allocated(self):
        return self.value("memprof_allocated_bytes_total")

    def bound(self, side):
        return self.value(f'memprof_inuse_bytes_bound{{side="{side}",confidence="0.95"}}')


def check_page(watched):
    checked = subprocess.run(["promtool", "check", "metrics"], input=watched.page(), text=True, capture_output=True,
                             check=False)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, ""), checked
    assert watched.page(OPENMETRICS).endswith("\n# EOF\n")
    assert watched.value("memprof_run_processes") == 1


def main():
    if not os.environ.get("MEMPROF_PRELOAD"):
        judging.skip("the preload library was not built")
    if shutil.which("promtool") is None:
        judging.skip("no promtool (Debian: prometheus)")
    program = pprof()

    def ask(*arguments):
        return subprocess.run([program, "-unit=B", "-nodefraction=0", "-edgefraction=0", *arguments], capture_output=True,
                              text=True, check=True, env=dict(os.environ, PPROF_TMPDIR=str(judging.CACHE))).stdout

    def total(*arguments):
        text = ask("-top", *arguments)
        found = re.search(r"Showing nodes accounting for (-?\d+)B?,", text)
        assert found, text
        return int(found[1]), text

    with Watched() as watched:
        url = watched.url + "/debug/pprof/"
        while watched.allocated() < 30 << 20:
            time.sleep(0.1)
        check_page(watched)

        # It only grows: the page before has less, the page after more. What is in use is estimated by blocks there and by
        # samples here, of the same blocks: that differs by a quarter of a standard deviation, the interval has two each way.
        lower, before = watched.bound("lower"), watched.allocated()
        in_use, text = total(url + "heap")
        allocated, _ = total("-sample_index=alloc_space", url + "allocs")
        after, upper = watched.allocated(), watched.bound("upper")
        assert "Type: inuse_space" in text, text
        assert lower <= in_use <= upper, (lower, in_use, upper)
        assert before - ROUNDING <= allocated <= after + ROUNDING, (before, allocated, after)

        # Who called whom.
        tree = ask("-tree", url + "heap")
        assert re.search(r"\|   serve\b.*\n(.*\n)?\s*\d+B?\s+[\d.]+%.*\| grow", tree), tree
        assert re.search(r"\|   main\b.*\n(.*\n)?\s*0\s+0%.*\| serve", tree), tree

        # A profile from before, and one of now: exactly what came in between.
        first = watched.allocated()
        (judging.CACHE / "before.pb.gz").write_bytes(urllib.request.urlopen(url + "heap", timeout=60).read())
        second = watched.allocated()
        time.sleep(3)
        third = watched.allocated()
        grown, _ = total(f"-diff_base={judging.CACHE / 'before.pb.gz'}", url + "heap")
        fourth = watched.allocated()
        assert third - second - ROUNDING <= grown <= fourth - first + ROUNDING, (third - second, grown, fourth - first)
        assert grown > 0

        # The same by the server: 3 s of it.
        begin, first = time.time(), watched.allocated()
        delta, text = total("-sample_index=alloc_space", url + "allocs?seconds=3")
        seconds, change = time.time() - begin, watched.allocated() - first
        assert "grow" in text, text
        # As large a part as 3 s are of the time that this took, by half: 4000 samples vary by a few percent.
        assert change * 3 / seconds / 2 <= delta <= change + ROUNDING, (delta, change, seconds)
        print(f"in use {in_use} of {lower:.0f} to {upper:.0f}, grown {grown}, in 3 s {delta} of {change:.0f}")


if __name__ == "__main__":
    main()
