# SPDX-License-Identifier: MIT
"""Which golden file a build is judged by, and its text.

Optimised builds only: what an unoptimised one does is nobody's concern. One file for each compiler with
its major version; a new one has other files, so a build by it is skipped until somebody writes them:
golden/gnu-12.paths.txt, golden/gnu-12.callgrind.txt; golden/gnu-12.aarch64.paths.txt for AArch64.
"""

import os
import pathlib
import sys

SKIPPED = 77
# What a file is called after, beside the compiler. callgrind cannot count under an emulator.
PROCESSORS = {("x86_64", "paths"): "", ("x86_64", "callgrind"): "", ("aarch64", "paths"): ".aarch64"}
OPTIMISED = {"Release", "RelWithDebInfo"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def golden_file(kind, writing):
    """The file for this build. Ends the program (skipped) where there is nothing to judge."""
    build, compiler = os.environ["MEMPROF_BUILD_TYPE"], os.environ["MEMPROF_COMPILER"]
    processor = os.environ["MEMPROF_PROCESSOR"]
    if (processor, kind) not in PROCESSORS:
        skip(f"nothing is known of the {kind} of {processor}")
    if build not in OPTIMISED:
        skip(f"the build type is '{build}', and optimised ones are judged: {', '.join(sorted(OPTIMISED))}")
    file = pathlib.Path(__file__).parent / "golden" / f"{compiler.lower()}{PROCESSORS[processor, kind]}.{kind}.txt"
    if not file.exists() and not writing:
        skip(f"there is no {file.name}: no golden file for this compiler (--write makes it)")
    return file


def rows_of(file):
    """{(section, name): the rest of the line, as words} of a golden file."""
    rows, section = {}, None
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            name, _, rest = line.partition("  ")
            rows.setdefault((section, name), []).append(tuple(rest.split()))
    return rows


def write(file, head, rows):
    """The opposite. Sections that are not in `rows` (not built now) stay as they were."""
    if file.exists():
        sections = {section for section, _ in rows}
        rows = {**{key: row for key, row in rows_of(file).items() if key[0] not in sections}, **rows}
    lines, last = [f"# {line}".rstrip() for line in head.strip().splitlines()], None
    for (section, name), values in sorted(rows.items(), key=lambda item: item[0][0]):
        if section != last:
            lines += ["", f"[{section}]"]
            last = section
        lines += [f"{name:<72}  " + "  ".join(f"{word:>4}" for word in row) for row in values]
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"written: {file}")
