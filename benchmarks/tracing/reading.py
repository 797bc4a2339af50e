# SPDX-License-Identifier: MIT
"""How fast traces are read: seconds of CPU and memory of the commands.

usage: reading.py BUILD [--traces DIRECTORY] [--megabytes N] [--rounds N]

With --traces (a directory with leaky_dense.ctf and ocamlopt_repo_v1.ctf): the commands that memtrace has,
beside the seconds that memtrace's own tools took on a machine like this one. With --megabytes: traces
memprof-example-leaky_server at rate 1 until the trace is that large, and reads it with each command.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

# Seconds of memtrace's own tools, of OCaml 4.13, on two cores like these, best of three.
OCAML = {
    "leaky_dense": {"identify": 0.13, "top --classic": 0.59, "flamegraph": 1.47, "dump": 6.8},
    "ocamlopt_repo_v1": {"identify": 0.07, "top --classic": 2.2, "flamegraph": 6.6, "dump": 21.0},
}
COMMANDS = ["identify", "top --classic", "flamegraph", "dump", "top", "tree", "stats"]


def best(command, rounds):
    """The least seconds of CPU, and the most memory in MiB."""
    seconds, memory = [], []
    for _ in range(rounds):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
        seconds.append(usage.ru_utime + usage.ru_stime)
        memory.append(usage.ru_maxrss / 1024)
    return min(seconds), max(memory)


def against_ocaml(memprof, traces, rounds):
    print("| trace | command | OCaml s | ours s | times | MiB |")
    print("|---|---|---|---|---|---|")
    for name, tools in OCAML.items():
        for tool, theirs in tools.items():
            ours, memory = best([memprof, *tool.split(), str(traces / f"{name}.ctf")], rounds)
            print(f"| {name} | {tool} | {theirs} | {ours:.4f} | {theirs / ours:.0f} | {memory:.0f} |",
                  flush=True)


def recorded(memprof, build, megabytes, directory):
    """A trace of the leaky server at rate 1, at least so large; and what to call it."""
    trace = pathlib.Path(directory) / "large.ctf"
    requests = 4000
    while not trace.exists() or trace.stat().st_size < megabytes * 1_000_000:
        if trace.exists():
            requests = int(requests * 1.1 * megabytes * 1e6 / trace.stat().st_size)
        subprocess.run([memprof, "record", "-q", "-f", "--rate", "1", "-o", str(trace), "--",
                        str(build / "examples" / "memprof-example-leaky_server"), str(requests)],
                       check=True, stdout=subprocess.DEVNULL)
    size = trace.stat().st_size / 1e6
    return trace, f"A trace of {size:.0f} MB, memprof-example-leaky_server {requests}, rate 1"


def large(memprof, build, megabytes, rounds):
    with tempfile.TemporaryDirectory() as directory:
        trace, title = recorded(memprof, build, megabytes, directory)
        size = trace.stat().st_size / 1e6
        print(f"\n{title}:\n")
        print("| command | CPU s | MB a second | MiB |")
        print("|---|---|---|---|")
        for tool in COMMANDS:
            seconds, memory = best([memprof, *tool.split(), str(trace)], rounds)
            print(f"| {tool} | {seconds:.2f} | {size / seconds:.0f} | {memory:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="How fast traces are read.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--traces", type=pathlib.Path)
    parser.add_argument("--megabytes", type=float)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    memprof = str(options.build / "bin" / "memprof")
    if options.traces:
        against_ocaml(memprof, options.traces, options.rounds)
    if options.megabytes:
        large(memprof, options.build, options.megabytes, min(options.rounds, 3))


if __name__ == "__main__":
    main()
