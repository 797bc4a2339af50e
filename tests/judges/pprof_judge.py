# SPDX-License-Identifier: MIT
"""Google's pprof reads our profiles, and its totals are the trace's. Debian's golang-go and
golang-github-google-pprof-dev build it without a network, in some 20 s, once for a build folder."""

import os
import pathlib
import re
import shutil
import subprocess

import judging
from judging import golden

SOURCE = pathlib.Path("/usr/share/gocode")


def pprof():
    program = judging.CACHE / "pprof"
    if program.exists():
        return program
    if shutil.which("go") is None or not (SOURCE / "src/github.com/google/pprof").is_dir():
        judging.skip("no golang-go with golang-github-google-pprof-dev")
    judging.CACHE.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, GO111MODULE="off", GOPATH=str(SOURCE), CGO_ENABLED="0",
                       GOCACHE=str(judging.CACHE / "go"))
    subprocess.run(["go", "build", "-o", str(program.resolve()), "github.com/google/pprof"], check=True,
                   env=environment)
    shutil.rmtree(judging.CACHE / "go", ignore_errors=True)
    return program


def main():
    program = pprof()
    for name in judging.traces():
        facts = golden.facts(name)
        blocks = sum(facts["events"][kind] for kind in ("alloc", "alloc_major", "alloc_ext"))
        file = judging.converted(name, "pprof", "pb.gz")

        def ask(*arguments, of=file):
            return subprocess.run([program, *arguments, of], capture_output=True, text=True, check=True,
                                  env=dict(os.environ, PPROF_TMPDIR=str(judging.CACHE))).stdout

        raw = ask("-raw")
        assert "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes[dflt]" in raw, \
            raw[:500]
        info = facts["info"]
        per_sample = info["word_size"] / 8 / info["sample_rate"]
        for kind, samples in (("alloc_space", facts["samples"]["total"]),
                              ("inuse_space", facts["live_at_end"]["samples"])):
            if not 0 < samples < 2**40:
                continue
            text = ask("-top", f"-sample_index={kind}", "-unit=B", "-nodefraction=0")
            total = re.search(r"of (\d+)B total", text)
            assert total, text[:500]
            assert abs(int(total[1]) - samples * per_sample) <= 0.5 * blocks + 1, text
        wanted = dict(facts.get("top_functions_self_samples") or [])
        text = ask("-top", "-sample_index=alloc_space", "-unit=B", "-nodefraction=0", "-nodecount=0") \
            if 0 < facts["samples"]["total"] < 2**40 else ""
        flat = {}
        for line in text.splitlines():
            row = re.match(r"\s*(\d+)B?\s+[\d.]+%\s+[\d.]+%\s+\d+B?\s+[\d.]+%\s+(.*?)( \(inline\))?$", line)
            if row:
                flat[row[2]] = flat.get(row[2], 0) + int(row[1])
        for function, samples in wanted.items():
            if text and function not in ("", "??") and not function.startswith("$") and "<" not in function:
                got = flat.get(function, 0)
                assert abs(got - samples * per_sample) <= 0.5 * blocks + 1, \
                    (name, function, got, samples * per_sample)
        print(f"{name}: {len(raw.splitlines())} lines, {len(flat)} functions")


if __name__ == "__main__":
    main()
