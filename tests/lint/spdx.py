# SPDX-License-Identifier: MIT
"""Every source and script says its licence in the first line (after #! if there is one)."""

import pathlib
import re

from lint_files import finish, project_files, read

# JSON has no comments; Markdown is prose; the licence is the licence.
SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".py", ".sh", ".cmake", ".in", ".map", ".yml", ".yaml",
            ".ts", ".js", ".css"}
NAMES = {"CMakeLists.txt"}
LINE = re.compile(r"^(//|#|/\*) SPDX-License-Identifier: MIT( \*/)?$")


def problems_of(name, text):
    path = pathlib.PurePosixPath(name)
    lines = text.split("\n")
    script = lines[0].startswith("#!")
    if path.suffix not in SUFFIXES and path.name not in NAMES and not script:
        return []
    first = lines[1] if script and len(lines) > 1 else lines[0]
    if LINE.match(first):
        return []
    return [f"{name}: line {2 if script else 1} is not the SPDX line (MIT)"]


if __name__ == "__main__":
    finish([p for name in project_files() for p in problems_of(name, read(name))], "SPDX lines")
