# SPDX-License-Identifier: MIT
"""usage: hidden_symbols.py CORE_ARCHIVE ARCHIVE...

Fails if an ARCHIVE needs a symbol that CORE_ARCHIVE hides: both can be linked into one program, but not as shared
libraries. So a static build finds what only a shared one would fail at (package.shared, which is long).
"""

import re
import subprocess
import sys

SYMBOL = re.compile(r"\s*\d+: [0-9a-f]+ +\S+ \w+ +(GLOBAL|WEAK) +(\w+) (?:.*\] )? *(\w+) (\S+)$")


def symbols(archive):
    """({needed}, {hidden that are defined}) of the archive's objects."""
    command = ["readelf", "-sW", archive]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = [match.groups() for match in map(SYMBOL.match, text.splitlines()) if match]
    assert found, f"readelf lists no symbols of {archive}"
    needed = {name for _, _, section, name in found if section == "UND"}
    hidden = {name for _, seen, section, name in found if section != "UND" and seen == "HIDDEN"}
    return needed, hidden


def main():
    core, *others = sys.argv[1:]
    _, hidden = symbols(core)
    assert hidden, f"{core} hides nothing"
    failed = False
    for archive in others:
        needed, own = symbols(archive)
        for name in sorted((needed & hidden) - own):
            failed = True
            print(f"{archive} needs {name}, which {core} hides: mark it MEMPROF_INTERNAL_API")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
