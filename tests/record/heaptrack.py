# SPDX-License-Identifier: MIT
"""What heaptrack, which records every allocation, says of a program: the truth that samples are held against."""

import os
import pathlib
import re
import shutil
import subprocess

SUFFIX = re.compile(r"(\.(part|constprop|isra|cold|lto_priv|llvm)(\.\d+)*)+$|@+.*$|\[abi:\w+\]|\[clone [^]]*\]")


def there():
    return shutil.which("heaptrack") is not None and shutil.which("heaptrack_print") is not None


def bare_name(name):
    """A function's name without what tools show differently: arguments of templates and functions, return
    types, clones."""
    name = re.sub(r" \([^()]*\)$", "", name)  # heaptrack's " (file.h)"
    name = re.sub(r"\(anonymous namespace\)::|\{anonymous\}::", "", name)
    name = SUFFIX.sub("", name)
    for _ in range(40):
        shorter = re.sub(r"(?<!operator)(?<!operator<)<[^<>]*>", "", name)
        shorter = re.sub(r"(?<!operator)\([^()]*\)", "", shorter)
        if shorter == name:
            break
        name = shorter
    name = SUFFIX.sub("", name.strip())
    name = re.sub(r"( const| volatile| &&?| noexcept)+$", "", name)
    name = name.replace("std::__cxx11::", "std::").replace("basic_string", "string")
    return re.sub(r"^.*\s(?=[\w:~]+$)", "", name).strip()


class Record:
    """A run of a program under heaptrack."""

    def __init__(self, directory, command, environment=None, stdin=b""):
        self.directory = pathlib.Path(directory)
        self.file = self.directory / "heaptrack"
        run = subprocess.run(["heaptrack", "-o", str(self.file), *command], input=stdin,
                             env={**os.environ, **(environment or {})}, capture_output=True, check=False)
        found = sorted(self.directory.glob("heaptrack.*"))
        if not found:
            raise RuntimeError("heaptrack left no file:\n" + run.stderr.decode(errors="replace"))
        self.file = found[0]

    def _print(self, *options):
        return subprocess.run(["heaptrack_print", "-f", str(self.file), "-p", "0", "-a", "0", "-T", "0",
                               *options], capture_output=True, text=True, check=True).stdout

    def counted_bytes(self):
        """All that was allocated, counted as the library counts: ceil(size / 8) + 1 words a block. And the
        number of blocks."""
        sizes = self.directory / "sizes.txt"
        self._print("-H", str(sizes))
        total = blocks = 0
        for line in sizes.read_text(encoding="utf-8").splitlines():
            size, number = map(int, line.split()[:2])
            total += number * 8 * (-(-size // 8) + 1)
            blocks += number
        return total, blocks

    def functions_at_peak(self):
        """({bare name: bytes at the peak in calls of that function}, all bytes at the peak)."""
        stacks = self.directory / "stacks.txt"
        self._print("-F", str(stacks), "--flamegraph-cost-type", "peak")
        inclusive, total = {}, 0
        for line in stacks.read_text(encoding="utf-8", errors="replace").splitlines():
            stack, _, cost = line.rpartition(" ")
            total += int(cost)
            for name in {bare_name(frame) for frame in stack.split(";")}:
                inclusive[name] = inclusive.get(name, 0) + int(cost)
        return inclusive, total
