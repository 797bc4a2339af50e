# SPDX-License-Identifier: MIT
"""Fifty processes, each with samples of its own seed, are scraped over HTTP and merged by Google's pprof. What the
merged profile says of their work is within its interval of the exact amount, and that interval is narrower than one
process's by the square root of fifty.

Seeds are fixed, so a run repeats. With others, correct code would fail once in 1e8 runs: the intervals that must
hold miss once in 1e9, the sum of squared errors (chi-squared, 50 degrees of freedom) is outside of [8, 140] once in
5e9, and of 50 intervals of 95 % more than 16 miss once in 6e9."""

import math
import os
import re
import subprocess
import urllib.request

import judging
from pprof_judge import pprof

PROCESSES = 50
FUNCTION = "fleet::index_documents"
NEVER_WRONG = 1 - 1e-9


class Fleet:
    """The processes, until the end of the `with`."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.processes = [subprocess.Popen([self.program, str(seed + 1)], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True) for seed in range(PROCESSES)]
        lines = [p.stdout.readline().split() for p in self.processes]
        self.urls = [f"http://{address}/debug/pprof/allocs" for address, _, _ in lines]
        self.exact = {"alloc_space": [int(n) for _, n, _ in lines], "inuse_space": [int(n) for _, _, n in lines]}
        return self

    def __exit__(self, *_):
        for p in self.processes:
            p.stdin.close()
            assert p.wait(timeout=60) == 0


class Pprof:
    def __init__(self):
        self.program = pprof()
        self.environment = dict(os.environ, PPROF_TMPDIR=str(judging.CACHE))

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, check=True,
                              env=self.environment).stdout

    def bytes_of_function(self, kind, profile):
        text = self.run("-top", "-cum", f"-sample_index={kind}", "-unit=B", "-nodefraction=0", "-nodecount=0", profile)
        row = re.search(rf"^\s*\S+\s+\S+\s+\S+\s+(\d+)B?\s+\S+\s+{FUNCTION}", text, re.MULTILINE)
        assert row, text[:2000]
        return int(row[1])


def intervals(program, confidence, samples):
    """The library's own intervals for what so many samples stand for: [(lower, upper)], in bytes."""
    text = subprocess.run([program, "--interval", repr(confidence), *map(str, samples)], capture_output=True,
                          text=True, check=True).stdout
    return [tuple(map(int, line.split())) for line in text.splitlines()]


def relative_half_width(interval, estimate):
    return (interval[1] - interval[0]) / 2 / estimate


def compare(program, kind, period, exact, estimates, merged):
    """Prints a table, and returns by how much the merged interval is narrower."""
    samples = [round(e / period) for e in estimates]
    of_all = round(merged / period)
    narrow = intervals(program, 0.95, [*samples, of_all])
    (lower, upper), = intervals(program, NEVER_WRONG, [of_all])
    truth = sum(exact)
    assert lower <= truth <= upper, (kind, lower, truth, upper)

    inside = sum(a <= x <= b for x, (a, b) in zip(exact, narrow))
    assert PROCESSES - inside <= 16, (kind, inside)
    squares = sum((e - x) ** 2 / (x * period) for e, x in zip(estimates, exact))
    assert 8 < squares < 140, (kind, squares)

    widths = [relative_half_width(i, e) for i, e in zip(narrow, estimates)]
    one, all_of_them = sum(widths) / PROCESSES, relative_half_width(narrow[-1], merged)
    ratio = one / all_of_them
    # Samples per process vary, and intervals of few samples are wider than their square root says.
    assert abs(ratio / math.sqrt(PROCESSES) - 1) < 0.05, (kind, ratio)
    error = math.sqrt(sum((e / x - 1) ** 2 for e, x in zip(estimates, exact)) / PROCESSES)
    print(f"{kind}: one process has {truth / PROCESSES:.0f} bytes, {sum(samples) / PROCESSES:.1f} samples, a relative "
          f"error of {error:.1%} and a half-width of {one:.1%}; {inside} of {PROCESSES} intervals hold the truth\n"
          f"{kind}: merged {truth} bytes, {of_all} samples, an error of {merged / truth - 1:+.2%} and a half-width of "
          f"{all_of_them:.2%}: narrower by {ratio:.2f}, the root of {PROCESSES} is {math.sqrt(PROCESSES):.2f}")
    return ratio


def main():
    program = os.environ.get("MEMPROF_FLEET_PROCESS")
    if not program:
        judging.skip("the processes of the fleet were not built")
    tool = Pprof()
    with Fleet(program) as fleet:
        merged = judging.CACHE / "fleet.pb.gz"
        tool.run("-proto", f"-output={merged}", *fleet.urls)
        alone = []
        for i, url in enumerate(fleet.urls):
            alone.append(judging.CACHE / f"fleet.{i}.pb.gz")
            with urllib.request.urlopen(url, timeout=60) as answer:
                alone[-1].write_bytes(answer.read())
    raw = tool.run("-raw", merged)
    period = int(re.search(r"^Period: (\d+)$", raw, re.MULTILINE)[1])
    # By their build ids, all processes ran the same files, wherever these were mapped.
    files = re.findall(r"^\d+: 0x\S+/0x\S+/0x\S+ (\S+) ([0-9a-f]*)", raw[raw.index("\nMappings\n"):], re.MULTILINE)
    assert len(files) == len(set(files)), files
    assert any(name == os.path.realpath(program) for name, _ in files), files
    for kind, exact in fleet.exact.items():
        compare(program, kind, period, exact, [tool.bytes_of_function(kind, p) for p in alone],
                tool.bytes_of_function(kind, merged))
    for p in alone:
        p.unlink()


if __name__ == "__main__":
    main()
