# SPDX-License-Identifier: MIT
"""Puts what a benchmark printed between the markers of its page.

usage: insert.py PAGE PART TEXT

The markers are lines: <!-- PART: begin --> and <!-- PART: end -->. A page without them is an error.
"""

import pathlib
import sys


def insert(page, part, text):
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    before, first, rest = page.partition(begin)
    _, second, after = rest.partition(end)
    if not first or not second:
        sys.exit(f"the page has no '{begin}' with '{end}' after it")
    return f"{before}{begin}\n{text.strip()}\n{end}{after}"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    page, text = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")
    page.write_text(insert(page.read_text(encoding="utf-8"), sys.argv[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
