# SPDX-License-Identifier: MIT
"""What the command prints passes the few places that escape what gives orders to a terminal (text/printable.hpp):
`message`, `say_lines`, `print_lines`, `output_file`. Nothing else in FOLDERS writes to a standard stream, and an output
is exempt from escaping only where its format is binary."""

import pathlib
import re

from lint_files import code_lines, finish, project_files, read

FOLDERS = ("tools/", "src/offline/", "src/live/recorder/", "src/shared/")

# what, what to use, and where it may stand: {file: why}
RULES = [
    (re.compile(r"std::(cout|cerr|clog)\b|\b(stdout|stderr)\b|\bSTD(OUT|ERR)_FILENO\b"
                r"|\b(fmt|std)::print(ln)?\s*\(\s*(\"|R\"|FMT)|\bw?printf\s*\(|\bputs\s*\(|\bperror\s*\("),
     "prints past the escaping: use message(), say_lines(), print_lines() of tools/message.hpp or an output_file",
     {"tools/message.cpp": "the place itself",
      "tools/output_file.cpp": "the place itself",
      "tools/progress_bar.cpp": "moves the cursor; its label is escaped",
      "tools/command_line.cpp": "flushes",
      "tools/text_report.cpp": "asks whether it is a terminal, and how wide",
      "tools/commands/convert.cpp": "asks whether it is a terminal",
      "src/offline/symbolize/debuginfod.cpp": "redirects those of a child"}),
    (re.compile(r"\bcontent::bytes\b"),
     "an output that is not escaped: only for binary formats",
     {"tools/commands/convert.cpp": "pprof, otlp, memtrace",
      "tools/commands/repair.cpp": "a trace",
      "tools/commands/subsample.cpp": "a trace",
      "tools/commands/anonymize.cpp": "a trace",
      "tools/commands/serve.cpp": "the page, as npm built it; names are in base64"}),
]


def problems_of(name, text):
    if not name.startswith(FOLDERS) or pathlib.PurePosixPath(name).suffix not in {".cpp", ".hpp"}:
        return []
    problems = []
    for number, line in enumerate(code_lines(text), 1):
        for pattern, instead, allowed in RULES:
            if (found := pattern.search(line)) and name not in allowed:
                problems.append(f"{name}:{number}: {found.group(0).strip()}: {instead}")
    return problems


def stale_permissions(names):
    """Permissions whose file is gone, or no longer needs them."""
    problems = []
    for pattern, _, allowed in RULES:
        for name in allowed:
            if name not in names:
                problems.append(f"terminal.py: {name} has a permission and does not exist")
            elif not any(pattern.search(line) for line in code_lines(read(name))):
                problems.append(f"terminal.py: {name} has a permission that it does not use")
    return problems


if __name__ == "__main__":
    files = project_files()
    finish([p for name in files for p in problems_of(name, read(name))] + stale_permissions(files),
           "output that is not escaped")
