# SPDX-License-Identifier: MIT
"""The ELF notes of the static probes, as OpenTelemetry's eBPF profiler reads them: otel_memory:alloc with three
arguments of 8 bytes and otel_memory:free with one, without semaphores, at a nop in the code."""

import os
import re
import shutil
import subprocess
import sys

NOTE = re.compile(r"Provider: (\w+)\s+Name: (\w+)\s+Location: (0x\w+), Base: (0x\w+), Semaphore: (0x\w+)\s+"
                  r"Arguments: ([^\n]*)\n")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def instruction_at(file, address):
    text = output("objdump", "-d", "--no-show-raw-insn", f"--start-address={address}",
                  f"--stop-address={address + 4}", file)
    return re.search(rf"^\s*{address:x}:\s+(\w+)", text, re.MULTILINE)[1]


def check(file):
    notes = [n for n in NOTE.findall(output("readelf", "-n", "-W", file)) if n[0] == "otel_memory"]
    # Link-time optimisation may copy the function that has one; each copy then has its note.
    assert {name for _, name, *_ in notes} == {"alloc", "free"}, notes
    for _, name, location, base, semaphore, arguments in notes:
        assert int(semaphore, 16) == 0, notes
        # Nothing has moved code since it was compiled: the base is where the file says it is.
        assert re.search(rf"^\s*\[.*\.stapsdt\.base\s+PROGBITS\s+0*{int(base, 16):x}\s", output("readelf", "-S", "-W", file),
                         re.MULTILINE), base
        words = arguments.split()
        assert len(words) == {"alloc": 3, "free": 1}[name], arguments
        assert all(word.startswith("8@") for word in words), arguments
        assert instruction_at(file, int(location, 16)) == "nop", location
        print(f"{os.path.basename(file)}: {name} {arguments}")


def main():
    if shutil.which("readelf") is None or shutil.which("objdump") is None:
        print("skipped: no binutils")
        return 77
    for variable in ("MEMPROF_PROBED_PROGRAM", "MEMPROF_PRELOAD"):
        if variable in os.environ:
            check(os.environ[variable])
    return 0


if __name__ == "__main__":
    sys.exit(main())
