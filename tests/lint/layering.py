# SPDX-License-Identifier: MIT
"""Compares the #includes of src/ and include/ with the table in docs/architecture.md.

- A room of src/ includes what its row allows, and another room only by its front header,
  "room/room.hpp". It may always include itself.
- Public headers ("memprof/...") are open to the rooms whose row says so; they never include src/.
- fmt is for the rooms that users neither link nor run in their programs: FMT_ROOMS.
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
FMT_ROOMS = {"symbolize", "analysis", "export", "serve", "tools"}


class Row:
    """One line of the table: which rooms, and which public headers ("all", or a list of names)."""

    def __init__(self, rooms, public):
        self.rooms, self.public = rooms, public

    def allows_public(self, header):
        return self.public == "all" or header in self.public


def parse_table(markdown):
    """{room: Row} from `| room | may include | public headers | ...` between the two marks."""
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
            raise ValueError(f"a row needs one room in its first cell: {line}")
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


def table_problems(table):
    problems = []
    for room, row in sorted(table.items()):
        for other in sorted(row.rooms - table.keys()):
            problems.append(f"table: {room} may include {other}, which has no row")
    if cycle := find_cycle({room: row.rooms for room, row in table.items()}):
        problems.append("table: a cycle: " + " -> ".join(cycle))
    return problems


def check(root, table):
    """The problems of the tree `root` (with src/ and include/), as lines."""
    problems = table_problems(table)
    edges = {}
    for path in sorted([*(root / "src").rglob("*"), *(root / "include").rglob("*")]):
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
        parts = pathlib.PurePosixPath(name).parts
        if parts[0] == "src" and (len(parts) < 3 or parts[1] not in table):
            problems.append(f"{name}: is in no room of the table")
    if cycle := find_cycle(edges):
        problems.append("#include: a cycle: " + " -> ".join(cycle))
    return problems


def resolve(root, name, angle, included, table):
    """What the #include in the file `name` means: (the file, or None if not ours; problem or None)."""
    in_src = name.startswith("src/")
    own_room = name.split("/")[1] if in_src else None
    if "../" in included:
        return None, f"{included}: include from src/ or include/, not relative with ../"
    if included.startswith("fmt/") and own_room not in FMT_ROOMS:
        return None, f"<{included}>: users would need fmt, and it may allocate"

    if included.startswith("memprof/"):
        target = "include/" + included
        if not (root / target).is_file():
            return None, f"{included}: there is no such public header"
        if angle:
            return target, f"<{included}>: our own headers go in quotes"
        if in_src and own_room in table and not table[own_room].allows_public(included[8:]):
            return target, f"{own_room} may not include the public header {included}"
        return target, None

    if (root / "src" / included).is_file():
        target = "src/" + included
    elif not angle and (root / posixpath.dirname(name) / included).is_file():
        target = posixpath.dirname(name) + "/" + included
        return target, f"{included}: write the whole path, from src/ or include/"
    elif angle:
        return None, None
    else:
        return None, f"{included}: found neither in src/ nor in include/"

    if angle:
        return target, f"<{included}>: our own headers go in quotes"
    if not in_src:
        return target, f"{included}: a public header never includes src/"
    room = included.split("/")[0]
    if room == own_room or own_room not in table:
        return target, None
    if room not in table[own_room].rooms:
        return target, f"{own_room} may not include {room} ({included})"
    if included != f"{room}/{room}.hpp":
        return target, f"{included}: include {room} by its front header {room}/{room}.hpp"
    return target, None


if __name__ == "__main__":
    document = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    finish(check(ROOT, parse_table(document)), "layering")
