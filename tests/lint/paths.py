# SPDX-License-Identifier: MIT
"""No path of one machine and no address of a package registry stands in the project's files."""

import re

from lint_files import ROOT, finish, project_files, read

# Written so that no pattern matches its own line.
PATTERNS = [
    (re.compile(r"(?<![\w.$}~/-])/(root|work|farm)[/]"), "path of one machine"),
    (re.compile(r"(?<![\w.$}~/-])/home[/]\w"), "home directory"),
    (re.compile(r"/(usr/)?lib[/](x86_64|aarch64)-linux-gnu"), "library path of one architecture"),
    (re.compile(r"registry[.]npmjs[.]org|registry[.]yarnpkg|pypi[.]org|files[.]pythonhosted"
                r"|proxy[.]golang[.]org|index[.]crates[.]io|deb[.]debian[.]org"
                r"|repo1[.]maven|rubygems[.]org"), "address of a package registry"),
    (re.compile(r"--(index|registry)[-=]|(index|registry)_url\s*=", re.IGNORECASE),
     "option that names a package registry"),
]

# path: why it may
ALLOWED = {}


def problems_of(name, text, checkout=ROOT):
    if name in ALLOWED:
        return []
    # "/" or "/src" as the place of the checkout would be found everywhere.
    own = str(checkout) if len(checkout.parts) > 2 else None
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        for pattern, what in PATTERNS:
            if found := pattern.search(line):
                problems.append(f"{name}:{number}: {what}: {found.group(0)}")
        if own and re.search(re.escape(own) + r"\b", line):
            problems.append(f"{name}:{number}: path of this checkout: {own}")
    return problems


if __name__ == "__main__":
    finish([p for name in project_files() for p in problems_of(name, read(name))],
           "machine paths and registry addresses")
