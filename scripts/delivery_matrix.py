#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the matrix of tests/delivery in every configuration, runs it, and prints what came of it.

A configuration is a compiler, a level of optimisation, and how it is linked. Beyond these it builds
those in which the binary does not tell (link-time optimisation of C and C++ together, stripped
binaries), and the remedy of each.

Ends with 1 if a verdict was wrong. --write: docs/delivery-matrix.md as well. About twenty minutes.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "delivery"
PAGE = ROOT / "docs" / "delivery-matrix.md"
LIBRARIES = ["sqlite3", "expat", "libxml-2.0", "lua5.4"]
COMPILERS = {"g++": "gcc", "clang++-19": "clang-19"}
ROOMS = re.search(r"set\(MEMPROF_CORE_ROOMS ([^)]*)\)",
                  (ROOT / "cmake" / "rooms.cmake").read_text()).group(1).split()

# What is wrong because the binary does not tell: {name of a link: {situation: cause}}.
C_UNDER_LTO = {name: "C or -fno-exceptions code merged by link-time optimisation" for name in (
    "c_library_callback", "c_library_callback_block", "c_library_callback_under_cxx_frames",
    "no_exceptions_without_tables")}
NO_SYMBOLS = {name: "stripped: no symbol says that it is C, or an initialiser" for name in (
    "c_library_callback", "c_library_callback_block", "c_library_callback_under_cxx_frames",
    "thread_local_dynamic_init", "thread_local_string", "thread_local_of_the_same_file")}


class Configuration:
    """How to build it, and which wrong verdicts are known. The flags are those of compiling C++ and C
    with optimisation, and of linking."""

    def __init__(self, compiler, level, kind, cxx=(), c=(), link=(), strip=None, known=None):
        self.compiler, self.level, self.kind = compiler, level, kind
        self.cxx, self.c, self.link, self.strip = list(cxx), list(c), list(link), strip
        self.known = dict(known or {})
        self.name = f"{compiler} {level} {kind}"


def configurations():
    result = []
    for compiler in COMPILERS:
        for level in ("-O0", "-O1", "-O2", "-O3"):
            result += [
                Configuration(compiler, level, "dynamic"),
                Configuration(compiler, level, "shared"),
                Configuration(compiler, level, "static", link=["-static", "-Wl,--eh-frame-hdr"])]
        lto = "-flto" if compiler == "g++" else "-flto=thin"
        result += [
            Configuration(compiler, "-O2", "lto", [lto], [lto], [lto], known=C_UNDER_LTO),
            Configuration(compiler, "-O2", "lto, C apart", [lto], [], [lto]),
            Configuration(compiler, "-O2", "stripped", strip="--strip-all", known=NO_SYMBOLS),
            Configuration(compiler, "-O2", "debug stripped", strip="--strip-debug")]
    return result


def pkg_config(*arguments):
    found = subprocess.run(["pkg-config", *arguments, *LIBRARIES], capture_output=True, text=True,
                           check=True)
    return found.stdout.split()


def own_flags(source):
    """What the file itself says about how it is compiled."""
    found = re.search(r"^(?://| \*) Flags: (.*)$", source.read_text(), re.MULTILINE)
    return found.group(1).split() if found else []


def sources():
    core = [p for room in ROOMS for p in sorted((ROOT / "src" / room).glob("*.cpp"))]
    tests = [TESTS / "matrix.cpp"]
    for folder in ("situations", "special", "support"):
        tests += sorted((TESTS / folder).glob("*.cpp")) + sorted((TESTS / folder).glob("*.c"))
    return core, tests


def run(command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_one(configuration, source, folder, is_core):
    out = folder / ("_".join(source.relative_to(ROOT).parts) + ".o")
    if out.exists():
        return out
    include = [f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{TESTS}"]
    if source.suffix == ".c":
        command = [COMPILERS[configuration.compiler], *configuration.c]
    else:
        apart = not configuration.c and "-fno-exceptions" in own_flags(source)
        command = [configuration.compiler, "-std=c++23", *([] if apart else configuration.cxx)]
    if is_core:
        command += ["-fPIC", "-ftls-model=initial-exec", "-fno-plt"]
    run([*command, configuration.level, "-w", *include, *pkg_config("--cflags"), *own_flags(source),
         "-c", source, "-o", out])
    return out


def build(configuration, folder, jobs):
    """The program. Objects are shared by configurations that are compiled alike."""
    core, tests = sources()
    key = "_".join([configuration.compiler, configuration.level, *configuration.cxx, "C", *configuration.c])
    objects = folder / re.sub(r"[^\w+-]", "_", key)
    objects.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        core_objects = list(pool.map(lambda s: compile_one(configuration, s, objects, True), core))
        test_objects = list(pool.map(lambda s: compile_one(configuration, s, objects, False), tests))
    static = "-static" in configuration.link
    libraries = [*pkg_config("--libs", *(["--static"] if static else [])), "-lboost_context",
                 "-pthread", "-ldl"]
    program = objects / re.sub(r"\W+", "-", configuration.kind)
    if configuration.kind == "shared":
        library = objects / "libmemprof-core.so"
        run([configuration.compiler, "-shared", "-o", library, *core_objects, "-pthread", "-ldl"])
        core_objects = [library, f"-Wl,-rpath,{objects}"]
    run([configuration.compiler, configuration.level, *configuration.link, "-o", program,
         *test_objects, *core_objects, *libraries])
    if configuration.strip:
        run(["strip", configuration.strip, program])
    return program


def observe(program, configuration, retry):
    arguments = [a for name in configuration.known for a in ("--known", name)]
    done = subprocess.run([str(program), "--json", *(["--retry"] if retry else []), *arguments],
                          capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


class Result:
    """What a configuration gave, with the interrupt forced and with it retried."""

    def __init__(self, configuration, forced, retried):
        self.configuration, self.forced, self.retried = configuration, forced, retried

    def names(self, judgement):
        return [row["name"] for row in self.forced if row["judgement"] == judgement]

    def not_alive(self):
        return [row["name"] for row in self.retried if row["judgement"] == "WRONG"]

    def failures(self):
        return (self.names("WRONG") + self.names("REFUSED") + self.names("UNREACHED")
                + self.not_alive())

    def row(self):
        counts = [len(self.names(j)) for j in ("WRONG", "known", "needless", "REFUSED", "UNREACHED")]
        refusable = [r for r in self.forced if r["reality"] == "delivered"]
        share = 100.0 * counts[2] / len(refusable) if refusable else 0.0
        return [self.configuration.name, str(len(self.forced)), *map(str, counts), f"{share:.0f} %",
                str(len(self.not_alive()))]


HEAD = ["configuration", "situations", "wrong", "known", "needless", "refused", "not reached",
        "share of needless", "not alive (retry)"]


def as_table(rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def per_situation(results):
    """Each situation in the two compilers at -O2: verdict and reality."""
    shown = [r for r in results if r.configuration.name in ("g++ -O2 dynamic", "clang++-19 -O2 dynamic")]
    rows = [["situation", "expected", *[r.configuration.name for r in shown]]]
    by_name = [{row["name"]: row for row in r.forced} for r in shown]
    for name, first in (by_name[0].items() if shown else ()):
        cells = []
        for rows_of in by_name:
            row = rows_of[name]
            verdict = "deliver" if row["verdict"] == "deliver" else f"defer ({row['reason']})"
            cells.append(f"{verdict}: {row['reality']}")
        rows.append([f"`{name}`", first["expected"], *cells])
    return as_table(rows)


def page(results):
    known = {}
    for r in results:
        for row in r.forced:
            if row["judgement"] == "known":
                cause = r.configuration.known.get(row["name"]) or row["undecidable"]
                known.setdefault((row["name"], cause), []).append(r.configuration.name)
    needless = {}
    for r in results:
        for name in r.names("needless"):
            needless[name] = needless.get(name, 0) + 1
    parts = [
        "# Verdicts of the pre-flight against reality\n",
        "Written by `scripts/delivery_matrix.py --write`: in every situation of `tests/delivery/situations`\n"
        "the pre-flight is asked, and then the interrupt is raised whatever it said.\n",
        "- **wrong**: \"deliver\", and it ended in std::terminate, damage or a hang; or it must be deferred.\n"
        "- **known**: the same, where the binary does not tell (below).\n"
        "- **needless**: \"defer\", and it would have arrived unharmed. The share is that of all that would.\n"
        "- **refused**: \"defer\" where it must be delivered.\n"
        "- **not alive**: as the library behaves (raised only on \"deliver\", else tried at the next\n"
        "  allocation), and the process was harmed.\n",
        as_table([HEAD] + [r.row() for r in results]) + "\n",
        "## Where the binary does not tell\n",
        as_table([["situation", "cause", "configurations"]]
                 + [[f"`{n}`", c, str(len(where))] for (n, c), where in sorted(known.items())]) + "\n",
        "## Needless refusals\n",
        as_table([["situation", "configurations"]]
                 + [[f"`{n}`", str(c)] for n, c in sorted(needless.items())]) + "\n",
        "## Every situation\n", per_situation(results)]
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="", help="configurations whose name matches this regular expression")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", help="to build in; kept (default: a temporary one)")
    parser.add_argument("--write", action="store_true", help="write docs/delivery-matrix.md")
    arguments = parser.parse_args()
    chosen = [c for c in configurations() if re.search(arguments.only, c.name)]
    for program in {c.compiler for c in chosen} | {COMPILERS[c.compiler] for c in chosen}:
        if not shutil.which(program):
            sys.exit(f"{program} is not installed: scripts/install_dependencies.sh build test clang")
    folder = pathlib.Path(arguments.folder or tempfile.mkdtemp(prefix="delivery-matrix-"))
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    failed = False
    try:
        for c in chosen:
            program = build(c, folder, arguments.jobs)
            result = Result(c, observe(program, c, False), observe(program, c, True))
            results.append(result)
            print("  ".join(f"{a} {b}" if b else a for a, b in zip(result.row(), ["", *HEAD[1:]])), flush=True)
            for name in sorted(set(result.failures())):
                failed = True
                print(f"    {name}", flush=True)
    finally:
        if not arguments.folder:
            shutil.rmtree(folder)
    print(as_table([HEAD] + [r.row() for r in results]))
    if arguments.write:
        PAGE.write_text(page(results))
    sys.exit(1 if failed or not results else 0)


if __name__ == "__main__":
    main()
