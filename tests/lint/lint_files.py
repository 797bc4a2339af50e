# SPDX-License-Identifier: MIT
"""What the lint scripts share: which files belong to the project, C++ without its comments, reports."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# For a source archive, which has no .git to ask.
NOT_OURS = re.compile(r"^(build[^/]*|out|\.git|\.cache)/|(^|/)__pycache__/")


def project_files(root=ROOT):
    """The project's text files, as paths relative to root: tracked ones, and new ones that git does
    not ignore."""
    git = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, check=False) if (root / ".git").exists() else None
    if git is not None and git.returncode == 0:
        names = [name for name in git.stdout.decode().split("\0") if name]
    else:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    return sorted(name for name in set(names)
                  if not NOT_OURS.search(name) and (root / name).is_file()
                  and b"\0" not in (root / name).read_bytes()[:4096])


def read(name, root=ROOT):
    return (root / name).read_text(encoding="utf-8", errors="replace")


_COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^\s()\\]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'", re.DOTALL)


def code_lines(text):
    """C++ line by line, with comments gone and literals empty (but for those of an #include)."""
    def blank(match):
        found = match.group(0)
        if found[0] == "/":
            return "\n" * found.count("\n") if "\n" in found else " "
        return '""' + "\n" * found.count("\n")
    kept = []
    for line in text.split("\n"):
        kept.append("\1" + line if re.match(r"\s*#\s*include\b", line) else line)
    includes = iter([line[1:] for line in kept if line.startswith("\1")])
    text = "\n".join("#\1" if line.startswith("\1") else line for line in kept)
    lines = _COMMENT_OR_LITERAL.sub(blank, text).split("\n")
    return [next(includes).split("//")[0] if line == "#\1" else line for line in lines]


def finish(problems, what):
    """Prints the problems and ends the script: 1 if there are any."""
    for problem in problems:
        print(problem)
    print(f"{what}: {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    sys.exit(1 if problems else 0)
