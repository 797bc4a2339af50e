#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Interrupts containers and parsers of installed libraries at each of their allocations.

Builds the programs of tests/containers whose library is installed (scripts/install_dependencies.sh containers
installs them all) at -O0 and -O2, over memprof as --build has it, and runs each of their scenarios in a process
of its own, each interrupt in another: first as if no function were on the list of unsafe_functions.txt, and, if
that did harm, with the list. Inlined functions of the list are found by scripts/check_binary.py; where there can be
such, at -O2, once more without its file ("frames").

--record FILE: writes a row for each scenario, of which scripts/container_page.py makes docs/containers.md. Some
20 minutes with two cores, half of them to compile. Ends with 1 if an interrupt does harm in spite of the list.
"""

import argparse
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

from binary_check.inlined import SUFFIX

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "tests" / "containers"
LIST = ROOT / "src" / "runtime" / "delivery" / "decide" / "unsafe_functions.txt"
LEVELS = {"-O0": [], "-O2": ["-DNDEBUG"]}

# As tests/containers/survey_main.cpp calls them.
HARM = ["leaks", "crashes", "hangs", "inconsistent", "swallows", "throws another"]
# Where an interrupt is swallowed, it comes again.
BREAKS = [column for column in HARM if column != "swallows"]
HEAD = ["library", "version", "type", "operation", "level", "list", "points", "survives", "waited", *HARM,
        "how", "where"]


def output_of(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr[:2000]}")
    return done.stdout


def stated(source, what):
    """What the head of a program says about its library."""
    found = re.search(rf"^// {what}: (.*)$", source.read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1).split() if found else []


def installed(source):
    """(package, version without Debian's revision); (None, None) if it is not installed."""
    for package in stated(source, "Package")[0].split("|"):
        done = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status} ${Version}", package],
                              capture_output=True, text=True, check=False)
        if done.stdout.startswith("installed "):
            version = done.stdout.split(" ", 1)[1]
            return package, re.sub(r"[+~-][^-]*$|^\d+:", "", re.sub(r"-[^-]*$", "", version))
    return None, None


def build(source, level, compiler, memprof, folder):
    include = [f"-I{ROOT}/include", f"-I{ROOT}/tests/programs", f"-I{PROGRAMS}"]
    options = ["-std=c++23", "-g1", "-fPIC", "-w", *include]
    modules = stated(source, "Modules")
    flags, libraries = ([], []) if not modules else (
        output_of(["pkg-config", option, *modules]).split() for option in ("--cflags", "--libs"))
    program, harness = folder / f"{source.stem}{level}", folder / "survey_main.o"
    if not harness.exists():
        output_of([*compiler, *options, "-O0", "-c", PROGRAMS / "survey_main.cpp", "-o", harness])
    output_of([*compiler, *options, level, *LEVELS[level], *flags, *stated(source, "Flags"), "-c", source,
               "-o", f"{program}.o"])
    # With the option, as the target memprof::memprof has it, malloc is replaced as well.
    output_of([*compiler, "-Wl,-u,memprof_override_anchor", f"{program}.o", harness, memprof / "libmemprof.a",
               memprof / "libmemprof-core.a", *libraries, *stated(source, "Libraries"), "-ldl", "-pthread",
               "-o", program])
    output_of([sys.executable, ROOT / "scripts" / "check_binary.py", "--write-inlined", program])
    return program


def observe(program, number, without_list):
    """The columns of HEAD from "points" on, of one scenario."""
    command = [program, "--run", str(number), *([LIST] if without_list else [])]
    row = dict.fromkeys(HEAD[6:], 0) | {"how": "", "where": ""}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    except subprocess.TimeoutExpired:
        return row | {"how": "the process hung"}
    if done.returncode != 0:
        return row | {"how": f"the process ended with {done.returncode}"}
    kinds, places = set(), {}
    for line in done.stdout.splitlines():
        key, *values = line.split("\t")
        if key == "failure":
            if signal := re.search(r"by signal \d+ \((\w+)\)", values[0]):
                kinds.add(f"SIG{signal.group(1)}")
            place = next((f for f in values[1:] if f and not f.startswith(("std::", "void std::"))), "")
            places[place] = places.get(place, 0) + 1
        elif key == "no points":
            row["how"] = values[0]
        else:
            row[key] += int(values[0])
    row["how"] = row["how"] or " ".join(sorted(kinds))
    row["where"] = max(places, key=places.get)[:200] if places else ""
    return row


def observe_without_file(program, number):
    """With the list, but as if check_binary.py had not been run."""
    beside = program.with_name(program.name + SUFFIX)
    hidden = beside.with_name(beside.name + ".hidden")
    beside.rename(hidden)
    try:
        return observe(program, number, False)
    finally:
        hidden.rename(beside)


def rows_of(source, version, level, program):
    for line in output_of([program, "--list"]).splitlines():
        number, kind, operation = line.split("\t")
        first = dict(zip(HEAD, [" ".join(stated(source, "Library")), version, kind, operation,
                                " ".join([level, *LEVELS[level]])]))
        alone = observe(program, number, True)
        yield first | {"list": "without"} | alone
        if any(alone[column] for column in HARM):
            yield first | {"list": "with"} | observe(program, number, False)
            if level != "-O0":
                yield first | {"list": "frames"} | observe_without_file(program, number)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev",
                        help="a build folder with the libraries of memprof (default: build/dev)")
    parser.add_argument("--compiler", default="c++", help="one command (default: c++)")
    parser.add_argument("--only", default="", help="programs whose name matches this regular expression")
    parser.add_argument("--folder", type=pathlib.Path, help="to build in; kept (default: a temporary one)")
    parser.add_argument("--record", type=pathlib.Path, help="the file for the results")
    arguments = parser.parse_args()
    if not (arguments.build / "libmemprof.a").exists():
        sys.exit(f"{arguments.build} has no libmemprof.a: cmake --preset dev; cmake --build --preset dev --target "
                 "memprof")
    harmed, rows = False, []
    with tempfile.TemporaryDirectory(prefix="container-survey-") as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for source in sorted(PROGRAMS.glob("*.cpp")):
            if source.stem == "survey_main" or not re.search(arguments.only, source.stem):
                continue
            package, version = installed(source)
            if package is None:
                print(f"{source.stem}: left out, because {stated(source, 'Package')[0]} is not installed")
                continue
            for level in LEVELS:
                try:
                    program = build(source, level, arguments.compiler.split(), arguments.build, folder)
                except RuntimeError as error:
                    harmed = True
                    print(f"{source.stem} cannot be built:\n{error}", flush=True)
                    break
                for row in rows_of(source, version, level, program):
                    rows.append(row)
                    harmed |= row["list"] == "with" and any(row[column] for column in BREAKS)
                    print("  ".join(f"{k} {v}" if isinstance(v, int) else v for k, v in row.items()
                                    if v not in (0, "")), flush=True)
    if arguments.record:
        with open(arguments.record, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, HEAD, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    sys.exit(1 if harmed else 0)


if __name__ == "__main__":
    main()
