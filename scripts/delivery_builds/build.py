# SPDX-License-Identifier: MIT
"""Compiles and links the matrix or the sweep of tests/delivery in one configuration."""

import concurrent.futures
import pathlib
import re

from delivery_builds.toolchains import output_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "src" / "runtime"
TESTS = ROOT / "tests" / "delivery"
LIBRARIES = {"matrix": ["sqlite3", "expat", "libxml-2.0", "lua5.4"], "sweep": ["sqlite3", "ginac"]}
COMPONENTS = re.search(r"set\(MEMPROF_CORE_COMPONENTS ([^)]*)\)",
                       (ROOT / "cmake" / "components.cmake").read_text()).group(1).split()


def pkg_config(program, *arguments):
    return output_of(["pkg-config", *arguments, *LIBRARIES[program]]).split()


def own_flags(source):
    """What the file itself says about how it is compiled."""
    found = re.search(r"^(?://| \*) Flags: (.*)$", source.read_text(), re.MULTILINE)
    return found.group(1).split() if found else []


def core_sources(folder):
    """The library, its components each as a source or two, as the presets compile it."""
    unsafe = (RUNTIME / "delivery" / "decide" / "unsafe_functions.txt").read_text()
    (folder / "memprof_unsafe_functions.inc").write_text(f'R"list({unsafe})list"\n')
    result = []
    for component in COMPONENTS:
        files = sorted((RUNTIME / component).glob("*.cpp"))
        for start in range(0, len(files), 20):
            source = folder / f"core_{component}_{start}.cpp"
            source.parent.mkdir(parents=True, exist_ok=True)
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
    include = [f"-I{ROOT}/include", f"-I{RUNTIME}", f"-I{TESTS}"]
    if source.suffix == ".c":
        command = [toolchain.c, *configuration.c]
    else:
        apart = not configuration.c and "-fno-exceptions" in own_flags(source)
        # What is compiled as an older C++ does without what clang needs for this one.
        older = any(flag.startswith("-std=") for flag in own_flags(source))
        options = [o for o in toolchain.options if not (older and o.startswith("-D"))]
        command = [toolchain.cxx, *options, "-std=c++2b", *([] if apart else configuration.cxx)]
    if is_core:
        command += [f"-I{folder}", "-fPIC", "-ftls-model=initial-exec", "-fno-plt"]
        command += ["-fconstexpr-steps=100000000"] if toolchain.is_clang else []
    output_of([*command, configuration.level, "-w", *include, *pkg_config(program, "--cflags"),
               *own_flags(source), "-c", source, "-o", out])
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
