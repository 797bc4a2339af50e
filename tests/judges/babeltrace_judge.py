# SPDX-License-Identifier: MIT
"""babeltrace2, with the format described by memtrace.tsdl, reads what we write: the traces that the commands write
again and one of a real program. It finds the events that `memprof dump` shows, at the same times, and the
same lengths and positions. It cannot undo the caches, so of stacks it sees codewords only."""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import judging
from judging import golden

SCHEMA = pathlib.Path(__file__).resolve().parent / "memtrace.tsdl"
SHORT = ('event {{ id = {0}; name = "allocation_{1}"; fields := struct {{ struct vint common_prefix; '
         "u8 n_codewords; struct codeword codewords[n_codewords]; }}; }};\n")
EVENT = re.compile(r"^\[(\d+)\] \(\+[^)]*\) (\w+): (.*)$")
DUMPED = re.compile(r"^(\d+) \d+ (alloc|alloc_major|alloc_ext|promote|collect)\b(?: (\d+) len=(\d+))?")
NAMES = {"promote": "promotion", "collect": "collection"}


def schema(version):
    lines = [line for line in SCHEMA.read_text().splitlines(keepends=True)
             if version >= 3 or "/* version 3 */" not in line]
    assert version >= 2  # we write no others
    return "".join(lines) + "".join(SHORT.format(100 + n, n) for n in range(1, 17))


def number(fields, name):
    """A vint's value."""
    tag, text = re.search(name + r' = \{ tag = \( "(\w+)" : container = (\d+) \)', fields).groups()
    if tag == "small":
        return int(text)
    return int(re.search(name + r" = \{ tag = \([^)]*\), more = \{ (-?\d+) \}", fields)[1])


def judged(trace, version):
    """What babeltrace2 says: the events as (time, name, length, samples), and how many locations."""
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        (folder / "metadata").write_text(schema(version))
        shutil.copyfile(trace, folder / "trace.ctf")
        result = subprocess.run(["babeltrace2", "--clock-cycles", folder], capture_output=True,
                                text=True, errors="replace", check=False)
    assert result.returncode == 0, (trace, result.stderr[-2000:])
    events, start, others = collections.Counter(), None, collections.Counter()
    for line in result.stdout.splitlines():
        time, name, fields = EVENT.match(line).groups()
        if name == "trace_info":
            start = int(time)
        if not name.startswith(("allocation", "promotion", "collection")):
            others[name] += 1
            continue
        length = samples = None
        if name == "allocation":
            length, samples = number(fields, " length"), number(fields, "n_samples")
        elif name.startswith("allocation_"):
            name, length, samples = "allocation", int(name.removeprefix("allocation_")), 1
        events[int(time) - start, name, length, samples] += 1
    assert others["trace_info"] == 1, (trace, others)
    return events, others["location"]


def dumped(trace):
    events = collections.Counter()
    for line in golden.run("dump", trace, errors="replace").stdout.splitlines():
        time, kind, samples, length = DUMPED.match(line).groups()
        name = NAMES.get(kind, "allocation")
        events[int(time), name, length and int(length), samples and int(samples)] += 1
    return events


def compare(trace, version):
    theirs, locations = judged(trace, version)
    ours = dumped(trace)
    assert theirs == ours, (trace, list((theirs - ours).items())[:5], list((ours - theirs).items())[:5])
    print(f"{trace.name}: {sum(ours.values())} events, {locations} locations")
    return sum(ours.values()), locations


def main():
    if shutil.which("babeltrace2") is None:
        judging.skip("no babeltrace2")
    judging.CACHE.mkdir(parents=True, exist_ok=True)
    for name in judging.traces():
        facts = golden.facts(name)
        if facts["time_goes_back_between_domains"] or facts["version"] < 2:
            continue  # a generic reader goes no further than to the first time that is lower
        copy = judging.CACHE / f"{name}.repaired.ctf"
        golden.run("repair", golden.trace(name), "-f", "-o", copy)
        _, locations = compare(copy, facts["version"])
        assert (locations > 0) == (facts["events"]["location"] > 0), name
    # Two interrupts are written as locations of codes that nothing uses, beside those of two codes.
    _, locations = compare(pathlib.Path(__file__).resolve().parent.parent / "data" / "interrupts.ctf", 3)
    assert locations == 4, locations
    if "MEMPROF_PRELOAD" not in os.environ:
        return  # a sanitizer's build, which has no preload library
    program = "import json; print(len(json.dumps([list(range(i)) for i in range(600)])))"
    recorded = judging.CACHE / "recorded.ctf"
    golden.run("record", "--rate", "1e-3", "-f", "-o", recorded, "--", sys.executable, "-c", program)
    events, locations = compare(recorded, 3)
    assert events > 100 and locations > 10, (events, locations)


if __name__ == "__main__":
    main()
