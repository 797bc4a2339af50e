# SPDX-License-Identifier: MIT
"""The first line of each commit message fits 72 characters: what `git log --oneline` and a mail show.

Asked of the commits that come after the one that added this script; what branched off before it is as it is.
"""

import subprocess
import sys

from lint_files import ROOT, finish

LONGEST = 72
SKIPPED = 77  # what ctest takes for "not run" (tests/lint/CMakeLists.txt)


def skip(why):
    print(f"commit subjects are not looked at: {why}")
    sys.exit(SKIPPED)


def git(*arguments):
    run = subprocess.run(["git", "-c", "safe.directory=*", *arguments], cwd=ROOT, capture_output=True,
                         text=True, encoding="utf-8", check=False)
    if run.returncode != 0:
        skip(run.stderr.strip())
    return run.stdout


def problems_of(log):
    """`log` has a line for each commit: its hash, a space, its subject."""
    problems = []
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > LONGEST:
            problems.append(f"{commit}: {len(subject)} characters, {LONGEST} fit: {subject}")
    return problems


def main():
    if not (ROOT / ".git").exists():
        skip("there is no .git")
    # In a shallow clone that is the oldest commit there.
    added = git("log", "--diff-filter=A", "--format=%H", "--", "tests/lint/commit_subjects.py").split()
    if not added:
        skip("no commit has this script yet")
    log = git("log", "--no-merges", "--ancestry-path", "--format=%h %s", f"{added[-1]}..HEAD")
    finish(problems_of(log), f"subjects of {len(log.splitlines())} commits")


if __name__ == "__main__":
    try:
        main()
    except FileNotFoundError:
        skip("git was not found")
