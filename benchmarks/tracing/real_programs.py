# SPDX-License-Identifier: MIT
"""What tracing costs real programs, as a ratio to the same program without.

usage: real_programs.py BUILD [--rounds N] [--size X] [--rates 1e-6 1e-5 1e-4]

Each round runs every program once as it is, once more as it is (the control, A/A), with the library
preloaded but nothing sampled, and traced at each rate, in an order of its own. User and system time of the
program with all its threads, ours included. Printed: the median of the rounds' ratios, and the quartiles.
A row is worth something if its control is within 2 % of 1.
"""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import workloads


def cpu_of(process):
    """Waits for it: its seconds of CPU, and its exit status."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def run_command(command, environment):
    with tempfile.TemporaryFile() as stdin:
        stdin.write(command.stdin)
        stdin.seek(0)
        process = subprocess.Popen(command.command, stdin=stdin, stdout=subprocess.DEVNULL,
                                   env={**os.environ, **command.environment, **environment})
        seconds = cpu_of(process)
    if process.returncode != 0:
        sys.exit(f"{command.name} ended with status {process.returncode}")
    return seconds


def run_redis(server, environment):
    process = subprocess.Popen(server.command(), stdout=subprocess.DEVNULL,
                               env={**os.environ, **environment})
    server.wait_until_up(process)
    server.load()
    server.stop()
    return cpu_of(process)


def variants(build, directory, rates):
    preload = str(pathlib.Path(build) / "libmemprof-preload.so")
    if not pathlib.Path(preload).exists():
        sys.exit(f"{preload}: not there: build the target memprof_preload first")
    yield "as it is", {}
    yield "A/A", {}
    yield "loaded, off", {"LD_PRELOAD": preload, "MEMPROF_RATE": "0"}
    for rate in rates:
        yield f"traced, {rate:g}", {"LD_PRELOAD": preload, "MEMPROF_RATE": "0",
                                    "MEMTRACE": str(directory / "trace.ctf"),
                                    "MEMTRACE_RATE": str(rate)}


def main():
    parser = argparse.ArgumentParser(description="What tracing costs real programs.")
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--size", type=float, default=1.0)
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-6, 1e-5, 1e-4])
    options = parser.parse_args()
    order = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        jobs = {key: (lambda e, c=command: run_command(c, e))
                for key, command in workloads.commands(directory, options.size).items()}
        if workloads.Redis.there():
            jobs["redis-server"] = lambda e: run_redis(workloads.Redis(directory), e)
        columns = list(variants(options.build, directory, options.rates))
        print("| program | CPU s | " + " | ".join(key for key, _ in columns[1:]) + " |")
        print("|---" * (len(columns) + 1) + "|")
        for program, job in jobs.items():
            seconds = {key: [] for key, _ in columns}
            for _ in range(options.rounds):
                for key, environment in order.sample(columns, len(columns)):
                    seconds[key].append(job(environment))
            base = seconds["as it is"]
            cells = []
            for key, _ in columns[1:]:
                ratios = [a / b for a, b in zip(seconds[key], base)]
                low, middle, high = statistics.quantiles(ratios, n=4)
                cells.append(f"{middle:.3f} ({low:.3f} to {high:.3f})")
            print(f"| {program} | {statistics.median(base):.3f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
