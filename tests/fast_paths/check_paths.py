# SPDX-License-Identifier: MIT
"""The instructions of the fast paths, compared with golden/COMPILER.paths.txt.

usage: check_paths.py [--write]

A difference in either direction fails: a path that became longer, and a file that is out of date. Who
means the change writes the file anew (--write, in both optimised build types if they differ) and says
why in the commit. The environment says what was built: tests/fast_paths/CMakeLists.txt.
"""

import os
import shutil
import sys

import golden
from disassembly import Disassembly
from paths import Cost, fast_paths

# Forms of operator new and delete that are not here are rare, and call one that is.
ALLOCATE = [
    "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc",
    "operator new(unsigned long)", "operator new[](unsigned long)",
    "operator new(unsigned long, std::nothrow_t const&)",
    "operator new[](unsigned long, std::nothrow_t const&)",
    "operator new(unsigned long, std::align_val_t)",
]
OTHERS = [
    "free", "free_sized", "malloc_usable_size",
    "operator delete(void*)", "operator delete[](void*)",
    "operator delete(void*, unsigned long)", "operator delete[](void*, unsigned long)",
    "operator delete(void*, std::align_val_t)",
]
HEAD = """SPDX-License-Identifier: MIT
Fast paths, from the entry to the jump into the real allocator, or to the return if it is called:
instructions (the assembler's padding not counted), writes to the thread's own memory, to its stack, to
other memory, and locked instructions. tests/fast_paths/check_paths.py compares; --write writes."""


def measured(modules):
    """{(module, function): [Cost, ...]}, and what is wrong before any golden file is looked at."""
    rows, problems = {}, []
    for module, path in modules.items():
        code = Disassembly(path, os.environ["MEMPROF_PROCESSOR"], os.environ["MEMPROF_OBJDUMP"])
        for name in ALLOCATE + OTHERS:
            if name not in code.entries:
                problems.append(f"{module}: there is no {name} in {path}")
                continue
            costs = fast_paths(code, name, name in ALLOCATE)
            if not costs:
                problems.append(f"{module}: {name}: no way from the entry to the real allocator without a "
                                "call of another function")
            for cost in costs:
                if cost.shared or cost.locks:
                    problems.append(f"{module}: {name}: writes memory that threads share, or locks: {cost}")
            rows[module, name] = costs
    return rows, problems


def difference(was, now):
    """What to say of a function's paths, was -> now (tuples of words)."""
    if len(was) != len(now):
        return f"{len(was)} fast paths in the golden file, {len(now)} in the build"
    said = []
    for old, new in zip(was, now):
        changes = [f"{field} {a} -> {b}" for field, a, b in zip(Cost._fields, old, new) if a != b]
        if changes:
            said.append(", ".join(changes) + (": LONGER" if int(new[0]) > int(old[0]) else ""))
    return "; ".join(said)


def main():
    writing = "--write" in sys.argv[1:]
    file = golden.golden_file("paths", writing)
    if shutil.which(os.environ["MEMPROF_OBJDUMP"]) is None:
        golden.skip("objdump was not found: binutils has it")
    modules = {name: os.environ[variable] for name, variable in
               [("preload", "MEMPROF_PRELOAD"), ("linked", "MEMPROF_PAIRS_LINKED")] if os.environ.get(variable)}
    rows, problems = measured(modules)
    now = {key: [tuple(map(str, cost)) for cost in costs] for key, costs in rows.items()}
    if writing:
        golden.write(file, HEAD, now)
    before = {key: row for key, row in golden.rows_of(file).items() if key[0] in modules}
    for key in sorted(before.keys() | now.keys()):
        if before.get(key, []) != now.get(key, []):
            problems.append(f"{key[0]}: {key[1]}: " + difference(before.get(key, []), now.get(key, [])))
    if problems:
        print("\n".join(problems))
        print(f"{len(problems)} problems with the fast paths, judged by {file}.\n"
              "If the change is meant: check_paths.py --write, and the reason in the commit.")
        sys.exit(1)
    print(f"{len(now)} functions have the fast paths of {file.name}")


if __name__ == "__main__":
    main()
