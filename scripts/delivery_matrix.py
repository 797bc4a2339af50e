#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the matrix of tests/delivery in every configuration, runs it, and prints what came of it.

A configuration is a compiler and its C++ library, a level of optimisation, and how it is linked. Every
compiler that is installed here is tried at -O0 and -O2, and at -O2 with the sweep, which interrupts up to 80
allocations of each of its workloads. --all-links: also -O1 and -O3, shared and static libraries, the configurations
in which the binary does not tell (link-time optimisation of C and C++ together, stripped binaries), and the
remedy of each.

Ends with 1 if a verdict was wrong. --record FOLDER: writes configurations.csv and situations.csv there, of
which scripts/delivery_page.py makes docs/delivery-matrix.md; scripts/check_distribution.sh --matrix records
what the compilers of a distribution give. A minute or two for each compiler and level, with two cores.
"""

import argparse
import concurrent.futures
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "delivery"
LIBRARIES = {"matrix": ["sqlite3", "expat", "libxml-2.0", "lua5.4"], "sweep": ["sqlite3", "ginac"]}
SWEPT = 80  # allocations of each workload
ROOMS = re.search(r"set\(MEMPROF_CORE_ROOMS ([^)]*)\)",
                  (ROOT / "cmake" / "rooms.cmake").read_text()).group(1).split()

# What is wrong because the binary does not tell: {name of a link: {situation: cause}}.
C_UNDER_LTO = {name: "C or -fno-exceptions code merged by link-time optimisation" for name in (
    "c_library_callback", "c_library_callback_block", "c_library_callback_under_cxx_frames",
    "no_exceptions_without_tables")}
NO_SYMBOLS = {name: "stripped: no symbol says that it is C, or an initialiser" for name in (
    "c_library_callback", "c_library_callback_block", "c_library_callback_under_cxx_frames",
    "thread_local_dynamic_init", "thread_local_string", "thread_local_of_the_same_file")}
# Of libc++, whatever throws; and situations that are about what libstdc++ allocates or swallows.
OF_LIBCXX = {
    "deque_copy": "libc++'s deque does not destroy what it has copied when a copy throws",
    **dict.fromkeys(("pthread_cancel_destructor_allocates", "pthread_exit_catch_all_allocates",
                     "pthread_exit_destructor_allocates", "pthread_exit_noexcept_false_destructor"),
                    "with Debian's libc++ and libunwind pthread_exit crashes, without memprof, too")}
NOT_OF_LIBCXX = {"filesystem_path", "istream_extract_number", "ostringstream_grow", "promise_constructor",
                 "variant_emplace_valueless"}

HEAD = ["compiler", "library", "level", "link", "situations", "wrong", "known", "needless", "refused",
        "not reached", "delivered", "not alive", "swept", "swept wrong"]


def output_of(command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Toolchain:
    """A compiler for C++ and its C++ library, and the compiler for C beside it."""

    def __init__(self, cxx, c, options=()):
        self.cxx, self.c, self.options = cxx, c, list(options)
        macros = output_of([cxx, *options, "-std=c++2b", "-dM", "-E", "-x", "c++", "-include", "version",
                            "/dev/null"])
        value = dict(re.findall(r"^#define (\w+) (.*)$", macros, re.MULTILINE))
        self.is_clang = "__clang_major__" in value
        if self.is_clang:
            self.name = f"clang++ {value['__clang_major__']}.{value['__clang_minor__']}"
        else:
            self.name = f"g++ {value['__GNUC__']}.{value['__GNUC_MINOR__']}"
        if "_LIBCPP_VERSION" in value:
            self.library = f"libc++ {int(value['_LIBCPP_VERSION']) // 10000}"
        else:
            self.library = f"libstdc++ {self.choose_libstdcxx(int(value['_GLIBCXX_RELEASE']), value)}"
        self.key = re.sub(r"\W+", "-", f"{self.name}-{self.library}")

    def choose_libstdcxx(self, version, macros):
        """What clang 16 to 18 can use, and how: cmake/compiler.cmake says why."""
        if not self.is_clang or int(macros["__clang_major__"]) >= 19:
            return version
        self.options += ["-D__cpp_concepts=202002L", "-Wno-builtin-macro-redefined"]
        if version <= 13:
            return version
        older = [*pathlib.Path("/usr/lib/gcc").glob("*/13/crtbegin.o")]
        if not older:
            raise RuntimeError("no libstdc++ 13")
        self.options.append(f"--gcc-install-dir={older[0].parent}")
        return 13


def toolchains():
    """All that are installed, each once: g++ is g++-12 on some system."""
    found = {}
    names = ["g++", *(f"g++-{v}" for v in range(12, 20)), *(f"clang++-{v}" for v in range(16, 26))]
    for cxx in names:
        c = cxx.replace("clang++", "clang").replace("g++", "gcc")
        if not (shutil.which(cxx) and shutil.which(c)):
            continue
        for options in ((), ("-stdlib=libc++",)) if cxx == "clang++-19" else ((),):
            try:
                t = Toolchain(cxx, c, options)
            except RuntimeError:  # without this C++ library
                continue
            found.setdefault(t.key, t)
    return list(found.values())


class Configuration:
    """How to build it, and which wrong verdicts are known. The flags are those of compiling C++ and C
    with optimisation, and of linking."""

    def __init__(self, toolchain, level, kind, cxx=(), c=(), link=(), strip=None, known=None):
        self.toolchain, self.level, self.kind = toolchain, level, kind
        self.cxx, self.c, self.link, self.strip = list(cxx), list(c), list(link), strip
        self.known = dict(known or {})
        if toolchain.name.startswith("clang++ 16."):
            self.known.setdefault("coroutine_after_yield",
                                  "clang destroys locals of a coroutine twice when unhandled_exception "
                                  "rethrows, whatever was thrown")
        self.without = set()
        if toolchain.library.startswith("libc++"):
            self.known.update(OF_LIBCXX)
            self.without = NOT_OF_LIBCXX
        self.labels = [toolchain.name, toolchain.library, level, kind]
        self.name = " ".join(self.labels)


def configurations(toolchain, all_links):
    if not all_links:
        return [Configuration(toolchain, "-O0", "dynamic"), Configuration(toolchain, "-O2", "dynamic")]
    result = []
    for level in ("-O0", "-O1", "-O2", "-O3"):
        result += [
            Configuration(toolchain, level, "dynamic"),
            Configuration(toolchain, level, "shared"),
            Configuration(toolchain, level, "static", link=["-static", "-Wl,--eh-frame-hdr"])]
    lto = "-flto=thin" if toolchain.is_clang else "-flto"
    return result + [
        Configuration(toolchain, "-O2", "lto", [lto], [lto], [lto], known=C_UNDER_LTO),
        Configuration(toolchain, "-O2", "lto, C apart", [lto], [], [lto]),
        Configuration(toolchain, "-O2", "stripped", strip="--strip-all", known=NO_SYMBOLS),
        Configuration(toolchain, "-O2", "debug stripped", strip="--strip-debug")]


def pkg_config(program, *arguments):
    return output_of(["pkg-config", *arguments, *LIBRARIES[program]]).split()


def own_flags(source):
    """What the file itself says about how it is compiled."""
    found = re.search(r"^(?://| \*) Flags: (.*)$", source.read_text(), re.MULTILINE)
    return found.group(1).split() if found else []


def core_sources(folder):
    """The library, its components each as a source or two, as the presets compile it."""
    result = []
    for room in ROOMS:
        files = sorted((ROOT / "src" / room).glob("*.cpp"))
        for start in range(0, len(files), 20):
            source = folder / f"core_{room.replace('/', '_')}_{start}.cpp"
            source.write_text("".join(f'#include "{file}"\n' for file in files[start:start + 20]))
            result.append(source)
    return result


def test_sources(program):
    result = [TESTS / f"{program}.cpp"]
    for folder in ("situations", "special", "support") if program == "matrix" else ("sweep", "support"):
        result += sorted((TESTS / folder).glob("*.cpp")) + sorted((TESTS / folder).glob("*.c"))
    return result


def compile_one(configuration, program, source, folder, is_core):
    out = folder / f"{source.parent.name}_{source.name}.o"
    if out.exists():
        return out
    toolchain = configuration.toolchain
    include = [f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{TESTS}"]
    if source.suffix == ".c":
        command = [toolchain.c, *configuration.c]
    else:
        apart = not configuration.c and "-fno-exceptions" in own_flags(source)
        # What is compiled as an older C++ does without what clang needs for this one.
        older = any(flag.startswith("-std=") for flag in own_flags(source))
        options = [o for o in toolchain.options if not (older and o.startswith("-D"))]
        command = [toolchain.cxx, *options, "-std=c++2b", *([] if apart else configuration.cxx)]
    if is_core:
        command += ["-fPIC", "-ftls-model=initial-exec", "-fno-plt"]
        command += ["-fconstexpr-steps=100000000"] if toolchain.is_clang else []
    output_of([*command, configuration.level, "-w", *include, *pkg_config(program, "--cflags"), *own_flags(source),
               "-c", source, "-o", out])
    return out


def build(configuration, program, folder, jobs):
    """`program`, which is "matrix" or "sweep". Objects are shared by configurations that are compiled alike."""
    toolchain = configuration.toolchain
    key = "_".join([toolchain.key, configuration.level, *configuration.cxx, "C", *configuration.c])
    objects = folder / re.sub(r"[^\w+-]", "_", key)
    objects.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        core = [pool.submit(compile_one, configuration, program, s, objects, True)
                for s in core_sources(objects)]
        tests = [pool.submit(compile_one, configuration, program, s, objects, False)
                 for s in test_sources(program)]
        core_objects, test_objects = ([f.result() for f in group] for group in (core, tests))
    static = "-static" in configuration.link
    libraries = [*pkg_config(program, "--libs", *(["--static"] if static else [])), "-lboost_context",
                 "-pthread", "-ldl"]
    executable = objects / re.sub(r"\W+", "-", f"{program}-{configuration.kind}")
    link = [toolchain.cxx, *toolchain.options]
    if configuration.kind == "shared":
        library = objects / "libmemprof-core.so"
        output_of([*link, "-shared", "-o", library, *core_objects, "-pthread", "-ldl"])
        core_objects = [library, f"-Wl,-rpath,{objects}"]
    output_of([*link, configuration.level, *configuration.link, "-o", executable,
               *test_objects, *core_objects, *libraries])
    if configuration.strip:
        output_of(["strip", configuration.strip, executable])
    return executable


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
    chosen = [c for t in toolchains() for c in configurations(t, arguments.all_links) if re.search(arguments.only, c.name)]
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
