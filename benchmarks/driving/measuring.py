# SPDX-License-Identifier: MIT
"""What the drivers of the benchmarks share: the machine, ratios of interleaved rounds, their results."""

import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import time


def machine():
    """What it was measured on, in a line."""
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = " ".join(line.partition(":")[2].split())
            break
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    libc = " ".join(platform.libc_ver())
    return (f"{os.cpu_count()} CPUs, {model}; {memory:.0f} GiB; Linux {platform.release().split('-')[0]}, "
            f"{libc}")


def load():
    return f"load average {os.getloadavg()[0]:.1f}"


def memory_available():
    for line in pathlib.Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) * 1024
    return 0


def program_if_there(build, name):
    """The program memprof-benchmark-NAME of the build, or None."""
    path = pathlib.Path(build).resolve() / "benchmarks" / f"memprof-benchmark-{name}"
    return str(path) if path.exists() else None


def program(build, name):
    """The program memprof-benchmark-NAME of the build."""
    return program_if_there(build, name) or sys.exit(
        f"memprof-benchmark-{name} is not in {build}: build it with -DMEMPROF_BUILD_BENCHMARKS=ON")


def preload_library(build):
    path = pathlib.Path(build).resolve() / "libmemprof-preload.so"
    if not path.exists():
        sys.exit(f"{path}: not there: build the target memprof_preload")
    return str(path)


def findings(command, environment=None):
    """What a program that prints one line of JSON found."""
    run = subprocess.run(command, env={**os.environ, **(environment or {})}, capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


class Ratio:
    """Median and quartiles of a list of ratios, one for each round."""

    def __init__(self, values):
        self.rounds = len(values)
        self.median = statistics.median(values)
        self.low, _, self.high = statistics.quantiles(values, n=4) if len(values) > 1 else 3 * values

    def __str__(self):
        return f"{self.median:.3f} ({self.low:.3f} to {self.high:.3f})"

    def as_json(self):
        return {"median": self.median, "low": self.low, "high": self.high, "rounds": self.rounds}


def interleaved(variants, rounds, seed=1):
    """Calls each of {name: function} once a round, in an order of its own each time: {name: [result]}."""
    order, results = random.Random(seed), {name: [] for name in variants}
    for _ in range(rounds):
        for name in order.sample(list(variants), len(variants)):
            results[name].append(variants[name]())
    return results


def interleaved_for(variants, seconds, least, most):
    """As many rounds as fit into so many seconds, by the first one; from `least` to `most`."""
    begin = time.monotonic()
    first = interleaved(variants, 1)
    rounds = min(most, max(least, round(seconds / (time.monotonic() - begin))))
    rest = interleaved(variants, rounds - 1, seed=2)
    return {name: first[name] + rest[name] for name in variants}


def ratios(values, base):
    """Round by round."""
    return Ratio([value / other for value, other in zip(values, base)])


def table(heads, rows):
    """A Markdown table, as text."""
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def write_json(path, what):
    pathlib.Path(path).write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")
