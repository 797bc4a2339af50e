# SPDX-License-Identifier: MIT
"""Compares the C++ that a document shows with the test it comes from.

In the document, right before the block:    <!-- tests/recovering/once_test.cpp: statics -->
In the test, around the very same text:     // [statics]  ...  // [/statics]

- The block is the region to the letter, but for the indentation that all its lines share.
- A document with one such mark has one before each of its ```cpp blocks.
- Each region of tests/recovering, tests/logging, tests/bombs and tests/servers is shown somewhere.
"""

import re
import textwrap

from lint_files import ROOT, finish, project_files, read

MARK = re.compile(r"<!-- (?P<file>\S+\.cpp): (?P<region>\w+) -->\n+\Z")
BLOCK = re.compile(r"^```cpp\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
REGION = re.compile(r"^[ \t]*// \[(?P<name>\w+)\]\n(?P<code>.*?)^[ \t]*// \[/(?P=name)\]$",
                    re.DOTALL | re.MULTILINE)


def regions(source):
    """{name: text without common indentation} of a C++ file."""
    return {match["name"]: textwrap.dedent(match["code"]) for match in REGION.finditer(source)}


def check_document(name, text, sources):
    """(problems, shown): `sources` is {file: regions}; shown are pairs (file, region)."""
    problems, shown = [], set()
    blocks = [(MARK.search(text, 0, block.start()), block) for block in BLOCK.finditer(text)]
    if not any(mark for mark, _ in blocks):
        return problems, shown
    for mark, block in blocks:
        line = text.count("\n", 0, block.start()) + 1
        if not mark:
            problems.append(f"{name}:{line}: no mark says which test this block comes from")
            continue
        region = sources.get(mark["file"], {}).get(mark["region"])
        shown.add((mark["file"], mark["region"]))
        if region is None:
            problems.append(f"{name}:{line}: {mark['file']} has no region [{mark['region']}]")
        elif region != block["code"]:
            problems.append(f"{name}:{line}: differs from [{mark['region']}] in {mark['file']}")
    return problems, shown


def check(documents, sources):
    """Both {file: text}."""
    found = {name: regions(text) for name, text in sources.items()}
    problems, shown = [], set()
    for name, text in sorted(documents.items()):
        more, here = check_document(name, text, found)
        problems += more
        shown |= here
    for name, its in sorted(found.items()):
        problems += [f"{name}: no document shows [{region}]"
                     for region in sorted(its) if (name, region) not in shown]
    return problems


if __name__ == "__main__":
    names = project_files()
    finish(check({name: read(name) for name in names if name.endswith(".md")},
                 {name: read(name) for name in names
                  if name.startswith(("tests/recovering/", "tests/logging/", "tests/bombs/", "tests/servers/")) and name.endswith(".cpp")}),
           "code that documents show")
