# SPDX-License-Identifier: MIT
"""tests/unit mirrors src and tools: every test there has the name of the file that it tests.

A test is named FILE_test.cpp or FILE_SUBJECT_test.cpp, in the folder of FILE's component (or a folder below it).
The tests in tests/unit/stats are of the headers in include/memprof. With --untested it prints the source files
that have no test of their name; docs/architecture.md says which suites cover those.
"""

import pathlib
import re
import sys

from lint_files import finish, project_files

# Tests that are of no single file, and why.
EXCEPTIONS = {
    "documented_tables_test.cpp": "every number in docs/statistical.md, and the tables of docs/choosing.md",
    "published_statements_test.cpp": "what memprof-limits' documentation says of its statistics",
    "symbol_files_test.cpp": "symbol_kinds, over files of modules that lie",
}
UNIT = "tests/unit/"


def component_of(folder):
    """"runtime/engine" of "runtime/engine/long", "stats" of "stats"."""
    return "/".join(folder.split("/")[:1 if folder.startswith("stats") else 2])


def sources_by_component(names):
    """The names of source files without their ending, by component; public headers count for all."""
    found = {}
    public = set()
    for name in names:
        path = pathlib.PurePosixPath(name)
        if path.suffix not in {".hpp", ".cpp"}:
            continue
        if name.startswith(("src/", "tools/")):
            parts = path.parts[1:] if name.startswith("src/") else path.parts
            found.setdefault(component_of("/".join(parts[:-1])), set()).add(path.stem)
        elif name.startswith("include/memprof/"):
            public.add(path.stem)
    return found, public


def tests_of(names):
    for name in names:
        if name.startswith(UNIT) and name.endswith("_test.cpp"):
            path = pathlib.PurePosixPath(name)
            yield name, component_of("/".join(path.parts[2:-1])), path.name


def tested_file(test, stems):
    """The longest name of a file that `test` begins with; None: there is none."""
    parts = test.removesuffix("_test.cpp").split("_")
    for n in range(len(parts), 0, -1):
        if "_".join(parts[:n]) in stems:
            return "_".join(parts[:n])
    return None


def problems_of(names, exceptions=EXCEPTIONS):
    sources, public = sources_by_component(names)
    problems = []
    unused = set(exceptions)
    for name, component, test in tests_of(names):
        if test in exceptions:
            unused.discard(test)
        elif tested_file(test, sources.get(component, set()) | public) is None:
            problems.append(f"{name}: no file of {component} has this name, nor a public header")
    return problems + [f"tests/lint/unit_mirror.py: there is no {test}" for test in sorted(unused)]


def untested(names):
    sources, public = sources_by_component(names)
    tested = {}
    for _, component, test in tests_of(names):
        file = tested_file(test, sources.get(component, set()) | public)
        tested.setdefault(component, set()).add(file)
    for component in sorted(sources):
        rest = sorted(sources[component] - tested.get(component, set()) - {re.sub(".*/", "", component)})
        if rest:
            print(f"{component}: {' '.join(rest)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--untested"]:
        untested(project_files())
    else:
        finish(problems_of(project_files()), "unit tests mirror src")
