# SPDX-License-Identifier: MIT
"""Makes the examples in the comments of the public headers one source, to see that they compile.

    examples.py INCLUDE_DIR [--without HEADER]... --write SOURCE
    examples.py INCLUDE_DIR [--without HEADER]... --check SOURCE

An example is what is indented by four columns or more in a comment, after an empty line of the comment or at
its beginning:

    /// What the function does.
    ///
    ///     auto n = memprof::safe_allocation(5_Mw, 1e-9);

It becomes a function of its own, in the namespace of the header at that place. What it leaves to its reader
(a parser, a ledger) is in names.hpp. Errors of the compiler name the header and the line, by #line.

--check says whether SOURCE holds every example of the headers as they are now, and whether a line that looks
like code was taken for prose.
"""

import argparse
import pathlib
import re
import sys
from dataclasses import dataclass

COMMENT = re.compile(r"\s*///(?!<)(?P<text>.*)$")
INDENTED = re.compile(r" {5,}\S")
NAMESPACE = re.compile(r"(?P<close>\}  // )?namespace (?P<name>memprof::inline v0[\w:]*)(?: \{)?$")
# Statements and the like.
CODE = re.compile(r" {5,}\S.*([;{}]|\)\s*,)\s*(//.*)?$")


@dataclass
class Example:
    header: str       # as one includes it: memprof/units.hpp
    line: int         # of its first line
    namespace: str    # in which it stands: "", "memprof", "memprof::testing"
    lines: list[str]  # without the comment's signs

    @property
    def name(self):
        return re.sub(r"\W", "_", self.header.removeprefix("memprof/").removesuffix(".hpp")) + f"_{self.line}"


def examples_of(header, text):
    """(examples, prose): `prose` are (line, text) of comments that are no example and look like one."""
    examples, prose = [], []
    namespace = ""
    current = None    # the example that is being read
    may_begin = True  # an example can begin here
    for number, line in enumerate(text.split("\n"), 1):
        comment = COMMENT.match(line)
        if not comment:
            found = NAMESPACE.match(line)
            if found:
                namespace = "" if found["close"] else found["name"].replace("inline v0", "").replace("::::", "::")
                namespace = namespace.removesuffix("::")
            current, may_begin = None, True
            continue
        said = comment["text"]
        if INDENTED.match(said):
            if current is None and may_begin:
                current = Example(header, number, namespace, [])
                examples.append(current)
            if current is not None:
                missing = number - current.line - len(current.lines)
                current.lines += [""] * missing + [said]
            elif CODE.match(said):
                prose.append((number, said.strip()))
            may_begin = False
        elif said.strip():
            current, may_begin = None, said.strip() == r"\file"
        else:
            may_begin = True  # `current` goes on, if more of it follows
    return examples, prose


def all_examples(include, without):
    examples, prose = [], []
    for path in sorted(include.glob("memprof/**/*.hpp")):
        header = path.relative_to(include).as_posix()
        if header in without:
            continue
        more, doubtful = examples_of(header, path.read_text(encoding="utf-8"))
        examples += more
        prose += [(header, *line) for line in doubtful]
    return examples, prose


def function(example, include):
    """The example as a function."""
    used = f"  using namespace {example.namespace};\n" if example.namespace else ""
    return (f"void {example.name}();\n"
            f"void {example.name}() {{\n{used}"
            f'#line {example.line} "{(include / example.header).as_posix()}"\n'
            + "\n".join(example.lines) + "\n}\n")


def source(examples, include):
    headers = sorted({example.header for example in examples})
    return ("// Made by tests/header_examples/examples.py.\n"
            + "".join(f'#include "{header}"\n' for header in headers)
            + '#include "header_examples/names.hpp"\n'
            + "\nnamespace header_examples {\n\n"
            + "\n".join(function(example, include) for example in examples)
            + "\n}  // namespace header_examples\n")


def problems_of(examples, prose, include, text):
    """What is wrong with `text` as the source made of these examples."""
    problems = [f"{header}:{line}: looks like an example, but has no empty line above it: {said}"
                for header, line, said in prose]
    if not examples:
        problems.append(f"no header of {include} has an example")
    problems += [f"{example.header}:{example.line}: this example is not among those compiled: build again"
                 for example in examples if function(example, include) not in text]
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("include", type=pathlib.Path)
    parser.add_argument("--without", action="append", default=[])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=pathlib.Path)
    what.add_argument("--check", type=pathlib.Path)
    arguments = parser.parse_args()
    include = arguments.include
    examples, prose = all_examples(include, arguments.without)
    if arguments.write:
        arguments.write.write_text(source(examples, include), encoding="utf-8")
        return
    if not arguments.check.exists():
        sys.exit(f"{arguments.check} was not made: build the target memprof_header_examples")
    problems = problems_of(examples, prose, include, arguments.check.read_text(encoding="utf-8"))
    print(*problems, f"{len(examples)} examples: {len(problems)} problems", sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
