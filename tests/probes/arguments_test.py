# SPDX-License-Identifier: MIT
"""What the static probes say of a program that knows its blocks, heard by gdb, and by bpftrace where the kernel
allows it: for each block its address, size and weight, and one free."""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ["MEMPROF_PROBED_PROGRAM"]

GDB = """\
set pagination off
set confirm off
set debuginfod enabled off
break -probe-stap otel_memory:alloc
commands
silent
printf "heard alloc 0x%lx %lu %lu\\n", (unsigned long)$_probe_arg0, (unsigned long)$_probe_arg1, (unsigned long)$_probe_arg2
continue
end
break -probe-stap otel_memory:free
commands
silent
printf "heard free 0x%lx\\n", (unsigned long)$_probe_arg0
continue
end
run
"""

BPFTRACE = """\
usdt:PROGRAM:otel_memory:alloc { printf("heard alloc 0x%lx %lu %lu\\n", arg0, arg1, arg2); }
usdt:PROGRAM:otel_memory:free { printf("heard free 0x%lx\\n", arg0); }
"""


def check(text):
    """Everything that the program says was heard, each block's end after its beginning."""
    lines = [line.strip() for line in text.splitlines()]
    heard = [line.removeprefix("heard ") for line in lines if line.startswith("heard ")]
    said = [line for line in lines if line.startswith(("alloc ", "free "))]
    assert len(said) == 24, text[-2000:]
    missing = collections.Counter(said) - collections.Counter(heard)
    assert not missing, (missing, heard[:40])
    for alloc in (line for line in said if line.startswith("alloc ")):
        assert heard.index(alloc) < len(heard) - 1 - heard[::-1].index(f"free {alloc.split()[1]}")
    return len(heard)


def with_gdb():
    if shutil.which("gdb") is None:
        return "no gdb"
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "script"
        script.write_text(GDB, encoding="utf-8")
        done = subprocess.run(["gdb", "-nx", "-batch", "-x", script, PROGRAM], capture_output=True, text=True,
                              check=False, timeout=100)
    if "ptrace: Operation not permitted" in done.stderr:
        return "no right to trace a process"
    print(f"gdb heard {check(done.stdout)} probes")
    return None


def with_bpftrace():
    if shutil.which("bpftrace") is None:
        return "no bpftrace"
    try:
        done = subprocess.run(["bpftrace", "-e", BPFTRACE.replace("PROGRAM", PROGRAM), "-c", PROGRAM],
                              capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return "bpftrace did not answer"
    if done.returncode != 0 or "heard" not in done.stdout:
        return "the kernel does not let bpftrace attach: " + (done.stderr.strip().splitlines() or ["?"])[-1]
    print(f"bpftrace heard {check(done.stdout)} probes")
    return None


def main():
    reasons = [reason for reason in (with_gdb(), with_bpftrace()) if reason]
    for reason in reasons:
        print("left out:", reason)
    return 77 if len(reasons) == 2 else 0


if __name__ == "__main__":
    sys.exit(main())
