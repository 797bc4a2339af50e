#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the matrix of tests/delivery in every configuration, runs it, and prints what came of it.

A configuration is a compiler and its C++ library, a level of optimisation, and how it is linked. Every
compiler that is installed here is tried at -O0 and -O2, and at -O2 with the sweep, which interrupts up to 80
allocations of each of its workloads. --all-links: also -O1 and -O3, shared and static libraries, the
configurations in which the binary does not tell (link-time optimisation of C and C++ together, stripped
binaries), and the remedy of each.

Ends with 1 if a verdict was wrong. --record FOLDER: writes configurations.csv and situations.csv there, of
which scripts/delivery_page.py makes docs/delivery-matrix.md; scripts/check_distribution.sh --matrix records
what the compilers of a distribution give. A minute or two for each compiler and level, with two cores.
"""

import argparse
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from delivery_builds.build import build
from delivery_builds.configurations import configurations
from delivery_builds.toolchains import toolchains

SWEPT = 80  # allocations of each workload

HEAD = ["compiler", "library", "level", "link", "situations", "wrong", "known", "needless", "refused",
        "not reached", "delivered", "not alive", "swept", "swept wrong"]


def observe(executable, configuration, retry):
    arguments = [a for name in configuration.known for a in ("--known", name)]
    done = subprocess.run([str(executable), "--json", *(["--retry"] if retry else []), *arguments],
                          capture_output=True, text=True, check=False)
    return [row for row in json.loads(done.stdout) if row["name"] not in configuration.without]


def sweep(executable):
    """(allocations that were interrupted, those where it did harm), of all workloads."""
    done = subprocess.run([str(executable), "--most", str(SWEPT), "--seed", "1"],
                          capture_output=True, text=True, check=False)
    total = done.stdout.splitlines()[-1].split()
    if done.returncode != 0:
        print(done.stdout)
    # The columns after the name of the workload: points, delivered, refused, needless, wrong, not alive ...
    return int(total[1]), int(total[5]) + int(total[6])


class Result:
    """What a configuration gave, with the interrupt forced and with it retried; and the sweep, if any."""

    def __init__(self, configuration, forced, retried, swept=("", "")):
        self.configuration, self.forced, self.retried = configuration, forced, retried
        self.swept = swept

    def names(self, judgement):
        return [row["name"] for row in self.forced if row["judgement"] == judgement]

    def not_alive(self):
        return [row["name"] for row in self.retried if row["judgement"] == "WRONG"]

    def failures(self):
        return (self.names("WRONG") + self.names("REFUSED") + self.names("UNREACHED")
                + self.not_alive() + (["the sweep"] if self.swept[1] else []))

    def row(self):
        counts = [len(self.names(j)) for j in ("WRONG", "known", "needless", "REFUSED", "UNREACHED")]
        delivered = sum(row["reality"] == "delivered" for row in self.forced)
        return [*self.configuration.labels, len(self.forced), *counts, delivered, len(self.not_alive()),
                *self.swept]

    def situation_rows(self):
        """Those that did not go as one would wish."""
        for row in self.forced:
            if row["judgement"] != "ok":
                cause = self.configuration.known.get(row["name"]) or row["undecidable"] or row["reason"]
                yield [*self.configuration.labels, row["name"], row["judgement"], cause, row["reality"]]


def run(configuration, folder, jobs):
    matrix = build(configuration, "matrix", folder, jobs)
    swept = ("", "")
    # GiNaC, which is swept, is of libstdc++.
    if configuration.labels[2:] == ["-O2", "dynamic"] and "libc++" not in configuration.labels[1]:
        swept = sweep(build(configuration, "sweep", folder, jobs))
    return Result(configuration, observe(matrix, configuration, False), observe(matrix, configuration, True),
                  swept)


def record(folder, results):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "configurations.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([HEAD, *(r.row() for r in results)])
    with open(folder / "situations.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*HEAD[:4], "situation", "judgement", "cause", "reality"])
        for r in results:
            writer.writerows(r.situation_rows())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="", help="configurations whose name matches this regular expression")
    parser.add_argument("--all-links", action="store_true", help="all levels and ways to link")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", help="to build in; kept (default: a temporary one)")
    parser.add_argument("--record", type=pathlib.Path, help="folder for the results")
    arguments = parser.parse_args()
    chosen = [c for t in toolchains() for c in configurations(t, arguments.all_links)
              if re.search(arguments.only, c.name)]
    if not chosen:
        sys.exit("no such compiler is installed: scripts/install_dependencies.sh build test clang")
    folder = pathlib.Path(arguments.folder or tempfile.mkdtemp(prefix="delivery-matrix-"))
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    failed = False
    try:
        for c in chosen:
            try:
                result = run(c, folder, arguments.jobs)
            except RuntimeError as error:
                print(f"{c.name} cannot be built:\n{error}", flush=True)
                failed = True
                continue
            results.append(result)
            print("  ".join(f"{name} {value}" if name not in HEAD[:4] else str(value)
                            for name, value in zip(HEAD, result.row())), flush=True)
            for name in sorted(set(result.failures())):
                failed = True
                print(f"    {name}", flush=True)
    finally:
        if not arguments.folder:
            shutil.rmtree(folder)
    if arguments.record:
        record(arguments.record, results)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
