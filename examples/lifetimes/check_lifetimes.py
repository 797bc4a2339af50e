# SPDX-License-Identifier: MIT
"""usage: check_lifetimes.py PROGRAM

Runs the example on traces and compares with lifetimes computed here from their golden dumps: on `rare`, and
on `queue_balloon` where MEMPROF_TRACES has it, in which a queue balloons and drains and must look so.
"""

import gzip
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def expected(dump, function):
    """(time, lifetime or None) in microseconds, of blocks with `function` in their backtrace."""
    born, result = {}, []
    for line in dump.splitlines():
        time, block, kind, *rest = line.split()
        if kind.startswith("alloc"):
            if any(frame.startswith(f"{function}@") for frame in rest):
                born[block] = int(time)
        elif kind == "collect" and block in born:
            result.append((born[block], int(time) - born.pop(block)))
    return sorted(result + [(time, None) for time in born.values()], key=str)


def dump_of(trace):
    compressed = trace.with_suffix(".dump.gz")
    if compressed.exists():
        with gzip.open(compressed, "rt", encoding="utf-8") as file:
            return file.read()
    return trace.with_suffix(".dump").read_text(encoding="utf-8")


def lifetimes(program, trace, function):
    """What the example prints, in microseconds."""
    output = subprocess.run([program, trace, function], capture_output=True, text=True, check=True).stdout
    got = []
    for line in output.splitlines():
        time, lifetime = line.split()
        got.append((round(float(time) * 1e6),
                    None if lifetime == "-" else round(float(lifetime) * 1e6)))
    return got


def compare(program, trace, *functions):
    """The lifetimes of blocks allocated under the first of them."""
    text = dump_of(trace)
    for function in (*functions, "no such function"):
        got = lifetimes(program, trace, function)
        assert sorted(got, key=str) == expected(text, function), (trace, function)
        assert (len(got) > 0) == (function in functions)
    return lifetimes(program, trace, functions[0])


def main():
    program = sys.argv[1]
    traces = pathlib.Path(os.environ.get("MEMPROF_TRACES")
                          or HERE.parent.parent / "tests" / "data" / "traces")
    compare(program, traces / "rare.ctf", "Dune__exe__Rare.burst", "Dune__exe__Rare")
    queue = traces / "queue_balloon.ctf"
    if queue.exists():
        made = compare(program, queue, "Dune__exe__Queue_balloon.Producer.make", "Stdlib__Queue.add")
        # The producer outpaces the consumer: what comes late waits longer.
        early = [life for time, life in made if time < 1e6 and life is not None]
        late = [life for time, life in made if 5e6 < time < 6e6 and life is not None]
        assert min(len(early), len(late)) > 100
        assert sum(late) / len(late) > 5 * sum(early) / len(early)
    usage = subprocess.run([program], capture_output=True, check=False)
    assert usage.returncode == 2
    missing = subprocess.run([program, traces / "missing.ctf", "f"], capture_output=True, check=False)
    assert missing.returncode == 1


if __name__ == "__main__":
    main()
