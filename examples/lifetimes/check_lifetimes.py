# SPDX-License-Identifier: MIT
"""usage: check_lifetimes.py PROGRAM

Runs the example on a trace in which a queue balloons and drains, and compares with lifetimes computed here
from the golden dump, and with what the queue must look like.
"""

import gzip
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


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


def main():
    program = sys.argv[1]
    traces = pathlib.Path(os.environ.get("MEMPROF_TRACES")
                          or HERE.parent.parent / "tests" / "data" / "traces")
    trace, dump = traces / "queue_balloon.ctf", traces / "queue_balloon.dump.gz"
    if not (trace.exists() and dump.exists()):
        print(f"skipped: no queue_balloon in {traces}")
        sys.exit(SKIPPED)
    with gzip.open(dump, "rt", encoding="utf-8") as file:
        text = file.read()
    for function in "Dune__exe__Queue_balloon.Producer.make", "Stdlib__Queue.add", "no such function":
        output = subprocess.run([program, trace, function], capture_output=True, text=True,
                                check=True).stdout
        got = []
        for line in output.splitlines():
            time, lifetime = line.split()
            got.append((round(float(time) * 1e6),
                        None if lifetime == "-" else round(float(lifetime) * 1e6)))
        assert sorted(got, key=str) == expected(text, function), function
        if function.endswith("make"):
            # The producer outpaces the consumer: what comes late waits longer.
            early = [life for time, life in got if time < 1e6 and life is not None]
            late = [life for time, life in got if 5e6 < time < 6e6 and life is not None]
            assert min(len(early), len(late)) > 100
            assert sum(late) / len(late) > 5 * sum(early) / len(early)
    usage = subprocess.run([program], capture_output=True, check=False)
    assert usage.returncode == 2
    missing = subprocess.run([program, traces / "missing.ctf", "f"], capture_output=True, check=False)
    assert missing.returncode == 1


if __name__ == "__main__":
    main()
