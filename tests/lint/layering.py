# SPDX-License-Identifier: MIT
"""Compares the #includes of src/, tools/ and include/ with the table in docs/architecture.md.

- A component includes what its row allows, and another one only by its front header,
  "component/component.hpp". It may always include itself.
- A folder of a component that has a row of its own (`delivery/reader`) includes itself, the files right in
  the component's folder, and the folders that its row allows.
- A component includes those of its own room, of src/shared and of src/runtime: ROOMS. So what runs inside malloc
  (src/runtime) includes nothing that may wait, and what runs beside a program nothing that reads traces.
- Public headers ("memprof/...") are open to the components whose row says so; they include nothing of these.
- fmt is for the components that users neither link nor run in their programs: FMT_COMPONENTS.
- What a row allows forms no cycle, nor do the #includes themselves. (The headers in
  include/memprof/detail hold the second half of public headers, and include the first: not counted.)
"""

import pathlib
import posixpath
import re

from lint_files import ROOT, code_lines, finish

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
BEGIN, END = "<!-- layering: begin -->", "<!-- layering: end -->"
PUBLIC_HALF = "include/memprof/detail/"
FMT_COMPONENTS = {"symbolize", "analysis", "export", "page_server", "tools"}
# Each room, and what may be included there beside it.
RUNTIME, SHARED, LIVE, OFFLINE = "src/runtime", "src/shared", "src/live", "src/offline"
ROOMS = {RUNTIME: set(), SHARED: {RUNTIME}, LIVE: {RUNTIME, SHARED}, OFFLINE: {RUNTIME, SHARED}}


# Made by cmake/components.cmake from a text of the component that includes it.
GENERATED = {"memprof_unsafe_functions.inc"}


def component_of(name):
    """The component that a file belongs to, or None: src/runtime/engine/a.cpp to engine, tools/a.cpp to tools."""
    parts = pathlib.PurePosixPath(name).parts
    if parts[0] == "tools":
        return "tools"
    return parts[2] if len(parts) > 3 and "/".join(parts[:2]) in ROOMS else None


def folder_of(name):
    """Of src/runtime/delivery/reader/lsda.hpp delivery/reader; None of what lies right in a component's folder."""
    parts = pathlib.PurePosixPath(name).parts
    return "/".join(parts[2:4]) if component_of(name) and len(parts) > 4 else None


class Row:
    """One line of the table: which components, and which public headers ("all", or a list of names)."""

    def __init__(self, components, public):
        self.components, self.public = components, public

    def allows_public(self, header):
        return self.public == "all" or header in self.public


def parse_table(markdown):
    """{component: Row} from `| component | may include | public headers | ...` between the two marks."""
    if BEGIN not in markdown or END not in markdown:
        raise ValueError(f"the table has no marks {BEGIN} and {END}")
    table = {}
    lines = markdown.split(BEGIN)[1].split(END)[0].strip().split("\n")
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < 3:
            raise ValueError(f"not a row of the table: {line}")
        names = [re.findall(r"`([^`]+)`", cell) for cell in cells[:3]]
        if len(names[0]) != 1:
            raise ValueError(f"a row needs one component in its first cell: {line}")
        table[names[0][0]] = Row(set(names[1]), "all" if cells[2] == "all" else set(names[2]))
    return table


def find_cycle(graph):
    """A list of nodes that ends where it begins, or None. graph: {node: nodes it points to}."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for following in sorted(graph.get(node, ())):
            if cycle := visit(following):
                return cycle
        done.add(path.pop())
        return None

    for start in sorted(graph):
        if cycle := visit(start):
            return cycle
    return None


def room_of(root, component):
    """The room that a component lies in; None: in none of src/."""
    return next((room for room in ROOMS if (root / room / component).is_dir()), None)


def table_problems(root, table):
    problems = []
    for component, row in sorted(table.items()):
        for other in sorted(row.components):
            if other not in table:
                problems.append(f"table: {component} may include {other}, which has no row")
                continue
            room, of_other = room_of(root, component), room_of(root, other)
            if room and of_other != room and of_other not in ROOMS[room]:
                problems.append(f"table: {component} is in {room}, which may not include {of_other} ({other})")
    if cycle := find_cycle({component: row.components for component, row in table.items()}):
        problems.append("table: a cycle: " + " -> ".join(cycle))
    return problems


def check(root, table):
    """The problems of the tree `root` (with src/, tools/ and include/), as lines."""
    problems = table_problems(root, table)
    edges = {}
    for path in sorted(p for folder in ("src", "tools", "include") for p in (root / folder).rglob("*")):
        if path.suffix not in {".cpp", ".hpp"}:
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(code_lines(path.read_text(encoding="utf-8")), 1):
            if match := INCLUDE.match(line):
                target, problem = resolve(root, name, match[1] == "<", match[2], table)
                if problem:
                    problems.append(f"{name}:{number}: {problem}")
                if target and not name.startswith(PUBLIC_HALF):
                    edges.setdefault(name, set()).add(target)
        if not name.startswith("include/") and component_of(name) not in table:
            problems.append(f"{name}: is in no component of the table")
    if cycle := find_cycle(edges):
        problems.append("#include: a cycle: " + " -> ".join(cycle))
    return problems


def resolve(root, name, angle, included, table):
    """What the #include in the file `name` means: (the file, or None if not ours; problem or None)."""
    own = component_of(name)
    if "../" in included:
        return None, f"{included}: write the whole path, from the room or include/, not relative with ../"
    if included.startswith("fmt/") and own not in FMT_COMPONENTS:
        return None, f"<{included}>: users would need fmt, and it may allocate"

    if included.startswith("memprof/"):
        target = "include/" + included
        if not (root / target).is_file():
            return None, f"{included}: there is no such public header"
        if angle:
            return target, f"<{included}>: our own headers go in quotes"
        if own in table and not table[own].allows_public(included[8:]):
            return target, f"{own} may not include the public header {included}"
        return target, None

    if included in GENERATED:
        return None, None
    candidates = [f"{room}/{included}" for room in ROOMS]
    if included.startswith("tools/"):
        candidates.append(included)
    target = next((candidate for candidate in candidates if (root / candidate).is_file()), None)
    if not target and angle:
        return None, None
    if not target and (root / posixpath.dirname(name) / included).is_file():
        target = posixpath.dirname(name) + "/" + included
        return target, f"{included}: write the whole path, from the room or include/"
    if not target:
        return None, f"{included}: is in no room of src/, nor in tools/ or include/"

    if angle:
        return target, f"<{included}>: our own headers go in quotes"
    if name.startswith("include/"):
        return target, f"{included}: a public header never includes src/"
    other = component_of(target)
    if own not in table:
        return target, None
    if other == own:
        folder, included_folder = folder_of(name), folder_of(target)
        if folder in table and included_folder not in {None, folder, *table[folder].components}:
            return target, f"{folder} may not include {included_folder} ({included})"
        return target, None
    if other not in table[own].components:
        return target, f"{own} may not include {other} ({included})"
    if included != f"{other}/{other}.hpp":
        return target, f"{included}: include {other} by its front header {other}/{other}.hpp"
    return target, None


if __name__ == "__main__":
    document = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    finish(check(ROOT, parse_table(document)), "layering")
