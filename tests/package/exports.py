# SPDX-License-Identifier: MIT
"""usage: exports.py DIRECTORY

Compares what the shared libraries in DIRECTORY export with what is meant:

- libmemprof.so: malloc's family, operator new and delete (as in src/runtime/override/preload/exports.map), and the
  symbols by which a program asks for them;
- the others: names of memprof::v0 that stand in a public header, type information of exceptions; the C interface;
- libmemprof-core.so: what another library of ours needs of it, and nothing more of that kind;
- libmemprof-core.so and libmemprof-trace.so: what the program memprof needs where it is not linked statically, marked
  in src/runtime/records and src/shared/trace.

What the compiler instantiates of std may be exported everywhere, as weak symbols (of clang variables, too, which
g++ makes unique ones): libstdc++ gives all of its namespace default visibility, whatever the options of the compiler.
"""

import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = ["memprof-core", "memprof", "memprof-trace", "memprof-fiber", "memprof-serve"]
ANCHORS = {"memprof_override_anchor"}
# What a program that is linked with memprof does not replace.
OF_PRELOAD_ALONE = {"memprof_preload_interrupted", "memprof_preload_leave_out", "__libc_start_main", "exit",
                    "quick_exit", "cfree", "__libc_free", "__libc_realloc"}
# The bounds of a section: hidden, and yet listed by GNU ld.
BOUNDS = {"__start_memprof_replacement", "__stop_memprof_replacement"}


def symbols(library, which):
    """{mangled: (type, demangled)} of the dynamic symbols; `which` is an option of nm."""
    result = {}
    for demangle in (False, True):
        command = ["nm", "-D", which, "--without-symbol-versions", *(["-C"] if demangle else []), library]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        parsed = [re.match(r"(?:[0-9a-f]+)?\s*(\w) (.*)", line).groups() for line in lines]
        if demangle:
            result = {name: (kind, text) for name, (kind, text) in zip(result, parsed)}
        else:
            names = [name for _, name in parsed]
            result = dict.fromkeys(names)
            assert len(result) == len(names), f"{library} has a symbol twice"
    return result


def public_words():
    words = set()
    for header in (SOURCE / "include").rglob("*.hpp"):
        words.update(re.findall(r"\w+", header.read_text()))
    return words


def of_c():
    """The C interface."""
    return set(re.findall(r"MEMPROF_C_API [^;(]*?(memprof_\w+)\(", (SOURCE / "include/memprof/memprof.h").read_text()))


def of_malloc():
    text = (SOURCE / "src/runtime/override/preload/exports.map").read_text()
    names = re.findall(r"(\w+);", re.sub(r"#.*", "", text).split("local:")[0])
    return set(names) - OF_PRELOAD_ALONE - of_c()


def marked_in(folder):
    """The functions and classes that a header of this folder marks for the program memprof."""
    return {name for header in (SOURCE / folder).glob("*.hpp")
            for name in re.findall(r"MEMPROF_INTERNAL_API [^;({]*?(\w+)(?:\(| final| \{)", header.read_text())}


def is_marked(text, marked):
    """Whether it is one of the functions, or belongs to one of the classes."""
    parts = re.findall(r"\w+", text.split("(")[0])
    return bool({"records", "trace"} & set(parts) and marked & set(parts))


def is_public(text, words):
    """Whether all parts of the qualified name stand in a public header."""
    text = re.sub(r"^(typeinfo for|typeinfo name for|vtable for) ", "", text)
    name = re.sub(r"\[abi:\w+\]", "", text.split("(")[0]).replace("operator=", "").replace("~", "")
    if not name.startswith("memprof::v0::"):
        return False
    return all(part in words for part in re.findall(r"\w+", name))


def main():
    directory = pathlib.Path(sys.argv[1])
    files = {name: directory / f"lib{name}.so" for name in LIBRARIES}
    files = {name: file for name, file in files.items() if file.exists()}
    exported = {name: symbols(file, "--defined-only") for name, file in files.items()}
    needed = set()
    for name, file in files.items():
        if name != "memprof-core":
            # Demangled: a constructor has two names, of which a library may need one alone.
            needed.update(text for _, text in symbols(file, "--undefined-only").values())

    words = public_words()
    of_program = {"memprof-core": marked_in("src/runtime/records"), "memprof-trace": marked_in("src/shared/trace")}
    problems = []
    for name, all_of_it in exported.items():
        for mangled, (kind, text) in all_of_it.items():
            if kind in "WVu" and re.match(r"(.* )?(std|__gnu_cxx)::", text.split("(")[0]):
                continue
            if name == "memprof":
                meant = mangled in of_malloc() | ANCHORS | BOUNDS
            else:
                meant = mangled in of_c() or is_public(text, words) or (name == "memprof-core" and text in needed) \
                    or is_marked(text, of_program.get(name, set()))
            if not meant:
                problems.append(f"lib{name}.so exports {text}")
    problems += [f"libmemprof.so lacks {name}" for name in sorted(of_malloc() - set(exported["memprof"]))]
    everything = {text for of in exported.values() for _, text in of.values()}
    problems += [f"nobody exports {name}, which a library of ours needs" for name in sorted(needed)
                 if "memprof::" in name and name not in everything]

    print("\n".join(problems))
    counts = ", ".join(f"{len(of)} of lib{name}.so" for name, of in exported.items())
    print(f"exported symbols: {counts}; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
