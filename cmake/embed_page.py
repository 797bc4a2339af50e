# SPDX-License-Identifier: MIT
"""usage: embed_page.py FOLDER OUTPUT

Writes C++ that holds the files of the built page: FOLDER/index.html as "/", FOLDER/single.html as the
offline page, and all else by its path. The same files give the same bytes.
"""

import pathlib
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
LINE = 96  # bytes of a file in one line of the source
PLAIN = set(range(0x20, 0x7f)) - set(b'"\\?')


def literal(data):
    """A string literal; octal escapes have three digits, so that no digit after one belongs to it."""
    lines = []
    for at in range(0, len(data), LINE):
        text = "".join(chr(b) if b in PLAIN else f"\\{b:03o}" for b in data[at:at + LINE])
        lines.append(f'    "{text}"')
    return "\n".join(lines) or '    ""'


def main(folder, output):
    index = folder / "index.html"
    single = folder / "single.html"
    for needed in (index, single):
        if not needed.is_file():
            sys.exit(f"{sys.argv[0]}: {needed} is missing; is the page built?")
    parts = [("/", index)]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path not in (index, single) and path.suffix != ".map":
            if path.suffix not in TYPES:
                sys.exit(f"{sys.argv[0]}: {path}: of which type is it?")
            parts.append(("/" + path.relative_to(folder).as_posix(), path))
    out = ["// Made by cmake/embed_page.py.", '#include "page_server/page.hpp"', "",
           "namespace memprof::page_server {", "namespace {", ""]
    for number, (_, path) in enumerate([*parts, ("", single)]):
        data = path.read_bytes()
        out += [f"constexpr char part_{number}[] =", literal(data) + ";", ""]
    out.append("constexpr page_part parts[] = {")
    for number, (url, path) in enumerate(parts):
        out.append(f'    {{"{url}", "{TYPES[path.suffix]}", {{part_{number}, sizeof part_{number} - 1}}}},')
    out += ["};", "", "}  // namespace", "",
            "std::span<page_part const> page_parts() noexcept { return parts; }",
            "std::string_view single_page() noexcept {",
            f"  return {{part_{len(parts)}, sizeof part_{len(parts)} - 1}};",
            "}", "", "}  // namespace memprof::page_server", ""]
    output.write_text("\n".join(out), encoding="ascii")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
