# SPDX-License-Identifier: MIT
"""What heaptrack, which records every allocation, says of a program: the truth that samples are held against."""

import functools
import pathlib
import re
import shutil
import subprocess

SUFFIX = re.compile(r"(\.(part|constprop|isra|cold|lto_priv|llvm)(\.\d+)*)+$|@+.*$|\[abi:\w+\]|\[clone [^]]*\]")


# Calls of a stack that heaptrack records, the innermost ones: Trace::MAX_SIZE is 64, without those of its own.
DEEPEST = 60


def interpreter():
    """heaptrack's program that finds names; None if heaptrack is not all there."""
    script = shutil.which("heaptrack")
    if script is None or shutil.which("heaptrack_print") is None:
        return None
    script = pathlib.Path(script).resolve()
    place = re.search(r"^LIBEXEC_REL_PATH=\"?([^\"\s]+)", script.read_text(encoding="utf-8"), re.MULTILINE)
    program = script.parent / (place[1] if place else ".") / "heaptrack_interpret"
    return program if program.exists() else None


def there():
    return interpreter() is not None


def recording(directory, command):
    """The command which runs `command` and leaves what Record reads in the directory."""
    return ["heaptrack", "--raw", "-o", str(pathlib.Path(directory) / "heaptrack"), *command]


@functools.lru_cache(maxsize=None)
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
    """What `recording` left of a run.

    heaptrack's recorder loses nothing, and its file is read here: the totals do not pass through
    heaptrack_interpret. That one keeps a table of all pairs of size and caller whose hashes collide, so that
    for cc1plus version 1.4 asks for 24 GB, ends with std::bad_alloc, and `heaptrack` leaves a file of two
    thirds of the allocations that looks whole (KDE's bug 477018). It only names the callers here, of what was
    in use at the peak.

    A realloc frees the old block and allocates one of the new size, as it does for memprof.
    """

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        found = sorted(self.directory.glob("heaptrack.raw.*"))
        if not found:
            raise RuntimeError("heaptrack left no file")
        self.raw = self.directory / "heaptrack.txt"
        with open(self.raw, "wb") as plain:
            subprocess.run(["zstd" if found[0].suffix == ".zst" else "gzip", "-dc", str(found[0])],
                           stdout=plain, check=True)
        self.bytes = self.blocks = 0
        self._lines = []  # of the recording: all but allocations and frees
        self._at_peak = {}  # address: (size, caller's number)
        self._allocated = {}  # caller's number: bytes, as counted_bytes
        self._read()

    def _read(self):
        """Counts, and finds what was in use when most was."""
        live, now, peak = self._at_peak, 0, 0
        since_peak = []  # (address, what lay there before)
        with open(self.raw, "rb") as recorded:
            for line in recorded:
                if line.startswith(b"+ "):
                    _, size, caller, block = line.split()
                    size = int(size, 16)
                    counted = 8 * (-(-size // 8) + 1)
                    self.bytes += counted
                    self._allocated[caller] = self._allocated.get(caller, 0) + counted
                    self.blocks += 1
                    now += size
                    since_peak.append((block, live.get(block)))
                    live[block] = size, caller
                    if now > peak:
                        peak = now
                        since_peak.clear()
                elif line.startswith(b"- "):
                    block = line.split()[1]
                    if (freed := live.pop(block, None)) is not None:
                        now -= freed[0]
                        since_peak.append((block, freed))
                else:
                    self._lines.append(line)
        for block, before in reversed(since_peak):
            if before is None:
                live.pop(block, None)
            else:
                live[block] = before

    def counted_bytes(self):
        """All that was allocated, counted as the library counts: ceil(size / 8) + 1 words a block."""
        return self.bytes

    def _parents(self):
        """Of each caller, by its number: "t ADDRESS PARENT" defines one; numbers count from 1, 0 is the thread's start."""
        return [0] + [int(line.split()[2], 16) for line in self._lines if line.startswith(b"t ")]

    def _alone(self, blocks, freed):
        """The recording, of these blocks (size, caller's number) and their callers alone. Those with the numbers `freed`
        are freed at the end."""
        parents = self._parents()
        wanted = {0}
        for _, caller in blocks:
            caller = int(caller, 16)
            while caller not in wanted:
                wanted.add(caller)
                caller = parents[caller]
        new_number, old, kept = {0: 0}, 0, []
        for line in self._lines:
            if line.startswith(b"t "):
                old += 1
                if old not in wanted:
                    continue
                new_number[old] = len(new_number)
                line = b"t %s %x\n" % (line.split()[1], new_number[parents[old]])
            kept.append(line)
        kept += [b"+ %x %x %x\n" % (size, new_number[int(caller, 16)], 16 * (number + 1))
                 for number, (size, caller) in enumerate(blocks)]
        kept += [b"- %x\n" % (16 * (number + 1)) for number in freed]
        return b"".join(kept)

    def functions_at_peak(self):
        """({bare name: bytes at the peak in calls of that function}, all bytes at the peak)."""
        self._name(list(self._at_peak.values()))
        return self._inclusive("peak")

    def functions_allocated(self):
        """({bare name: bytes allocated in calls of that function}, all), counted as the library counts; and
        {bare name: bytes whose stacks heaptrack has cut, without that function in what is left}: a function that is
        not named there may have been among the outer calls of all of them, cut_bytes. One block for each caller: naming
        them takes minutes for a program with many."""
        depths = [0]
        for parent in self._parents()[1:]:
            depths.append(depths[parent] + 1)
        blocks = [(size, caller) for caller, size in self._allocated.items()]
        deepest = max(max(depths), DEEPEST)
        self._name(blocks, [n for n, (_, caller) in enumerate(blocks) if depths[int(caller, 16)] < deepest])
        exact, total = self._inclusive("peak")
        named, self.cut_bytes = self._inclusive("leaked")  # what was not freed: the stacks that were cut
        return exact, total, {name: self.cut_bytes - named.get(name, 0) for name in exact}

    def _name(self, blocks, freed=()):
        """Finds the names of the blocks' callers: what takes long."""
        with open(self.directory / "named.txt", "wb") as out:
            subprocess.run([str(interpreter())], input=self._alone(blocks, freed), stdout=out,
                           stderr=subprocess.DEVNULL, check=True)

    def _inclusive(self, cost):
        """Of the blocks that were named, at their peak ("peak") or never freed ("leaked")."""
        named, stacks = self.directory / "named.txt", self.directory / "stacks.txt"
        subprocess.run(["heaptrack_print", "-f", str(named), "-p", "0", "-a", "0", "-T", "0", "-F",
                        str(stacks), "--flamegraph-cost-type", cost], stdout=subprocess.DEVNULL, check=True)
        inclusive, total = {}, 0
        for line in stacks.read_text(encoding="utf-8", errors="replace").splitlines():
            stack, _, cost = line.rpartition(" ")
            total += int(cost)
            for name in {bare_name(frame) for frame in stack.split(";")}:
                inclusive[name] = inclusive.get(name, 0) + int(cost)
        return inclusive, total
