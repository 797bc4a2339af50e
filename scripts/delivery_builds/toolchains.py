# SPDX-License-Identifier: MIT
"""The compilers that are installed, each with its C++ library."""

import pathlib
import re
import shutil
import subprocess


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
