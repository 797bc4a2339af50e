# SPDX-License-Identifier: MIT
"""No script pipes into a command that ends before it has read all. Under `set -o pipefail` the pipe then fails if
the writer has more to write, so a search that found what it looked for fails by chance. `grep -q PATTERN <<< "$(...)"`
and `[[ $(...) == *text* ]]` do not. (GNU grep ends early into /dev/null, too. `head` is not judged.)"""

import re

from lint_files import finish, project_files, read

EARLY = re.compile(r"(?<!\|)\|\s*("
                   r"grep\b(?=[^|;&]*(\s-\w*[qm]|\s--(quiet|silent|max-count)|(?<!2)>\s*/dev/null))"
                   r"|awk\b[^|]*\bexit\b"
                   r"|sed\b[^|]*[0-9/;{ ]q['\"};])")


def problems_of(name, text):
    first = text.split("\n", 1)[0]
    if not (name.endswith(".sh") or (first.startswith("#!") and "sh" in first)) or "pipefail" not in text:
        return []
    return [f"{name}:{number}: {found.group(0).strip()}: ends before it has read all (tests/lint/shell_pipes.py)"
            for number, line in enumerate(text.split("\n"), 1)
            if not line.lstrip().startswith("#") and (found := EARLY.search(line))]


if __name__ == "__main__":
    finish([p for name in project_files() for p in problems_of(name, read(name))], "pipes that end early")
