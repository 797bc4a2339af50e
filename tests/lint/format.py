# SPDX-License-Identifier: MIT
"""All C++ is formatted as clang-format 14 does it with .clang-format. Comments, which it leaves alone, are
within its column limit, too.

To format everything: python3 tests/lint/format.py --fix
With --recent only the files that the last 20 commits and the work on top of them changed: what the ordinary
tests look at, since all files take half a minute; the extended tests look at all.
"""

import re
import shutil
import subprocess
import sys

from lint_files import ROOT, finish, project_files, read

SKIPPED = 77  # what ctest takes for "not run" (tests/lint/CMakeLists.txt)
COLUMNS = 100  # as .clang-format has it


def clang_format():
    """The program: exactly version 14, since others format differently."""
    for name in ("clang-format-14", "clang-format"):
        program = shutil.which(name)
        if program is None:
            continue
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        if re.search(r"version 14\.", version.stdout):
            return program
    print("clang-format 14 was not found: apt-get install clang-format-14, where Debian has it "
          "(scripts/install_dependencies.sh does it)")
    sys.exit(SKIPPED)


def is_formatted(program, name):
    """Whether formatting leaves the file as it is.

    clang-format 14 complains of each comment "}  // namespace a::inline b", which it has written itself.
    """
    run = subprocess.run([program, name], cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout == (ROOT / name).read_text(encoding="utf-8")


def long_comments(name, text):
    """The lines that are a comment alone, and too long. A word that fits no line may be (an address)."""
    return [f"{name}:{number}: a comment of {len(line)} columns; {COLUMNS} fit"
            for number, line in enumerate(text.split("\n"), 1)
            if len(line) > COLUMNS and re.match(r"\s*//[/!]?\s*\S+\s", line)]


def hand_made_columns(name, text):
    """Lines like "/// returns     the sum": editors and Doxygen render tags (\\return) and lists, not columns."""
    return [f"{name}:{number}: a column made by hand: write a tag (\\param, \\return, \\throws, \\note) or a list"
            for number, line in enumerate(text.split("\n"), 1)
            if name.startswith(("include/", "src/", "tools/")) and re.match(r"\s*/// \w[\w, ]* {3,}\S", line)]


def recent():
    """The files that differ from how they were 20 commits ago; None where the history is not as long."""
    run = subprocess.run(["git", "diff", "--name-only", "-z", "--no-renames", "HEAD~20", "--"], cwd=ROOT,
                         capture_output=True, text=True, check=False)
    new = subprocess.run(["git", "ls-files", "--others", "--exclude-standard", "-z"], cwd=ROOT,
                         capture_output=True, text=True, check=False)
    return None if run.returncode != 0 else {*run.stdout.split("\0"), *new.stdout.split("\0")}


def main():
    files = [name for name in project_files() if name.endswith((".cpp", ".hpp"))]
    program = clang_format()
    if "--recent" in sys.argv[1:] and (changed := recent()) is not None:
        files = [name for name in files if name in changed]
    if not files:
        finish([], "formatting of no files: none was changed of late")
        return
    # All in one process: its start takes longer than a file.
    run = subprocess.run([program, "--dry-run", "-Werror", *files], cwd=ROOT,
                         capture_output=True, text=True, check=False)
    # The first complaint about each file will do.
    first = {}
    for line in run.stderr.split("\n"):
        found = re.match(r"(.+?):\d+:\d+: error: ", line)
        if found:
            first.setdefault(found.group(1), line)
    first = {name: line for name, line in first.items() if not is_formatted(program, name)}
    if "--fix" in sys.argv[1:]:
        # Only these: one that is written looks changed to a build, even if it is the same.
        if first:
            subprocess.run([program, "-i", *first], cwd=ROOT, check=True)
        return
    problems = list(first.values())
    problems += [problem for name in files for check in (long_comments, hand_made_columns)
                 for problem in check(name, read(name))]
    if run.returncode != 0 and not run.stderr.count(": error: "):
        problems += [run.stderr.strip() or f"{program} ended with {run.returncode}"]
    finish(problems, f"formatting of {len(files)} files (format.py --fix mends all but comments)")


if __name__ == "__main__":
    main()
