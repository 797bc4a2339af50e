#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names what memprof's pre-flight cannot know of a binary, and the remedy.

Before memprof raises an interrupt it reads the unwind tables of every frame it would pass. Of some
frames they do not tell enough: C++ compiled with -fno-exceptions, C merged into C++ by link-time
optimisation, anything in a stripped C++ module, thread_local initialisers that were inlined. This
script finds them in programs, shared objects, objects and archives. docs/checking-binaries.md has more.

Exit status: 0 nothing found, 1 findings, 2 wrong usage or a file that cannot be read.
"""

import argparse
import dataclasses
import json
import signal
import struct
import sys
import zlib

from binary_check import checks, inlined
from binary_check.elf import Malformed, archive_members


def reports_on(path):
    """The reports on a file: one, or one for each member of an archive."""
    with open(path, "rb") as opened:
        data = opened.read()
    if not data.startswith((b"!<arch>\n", b"!<thin>\n")):
        return [checks.check(path, data)]
    reports = []
    for name, body in archive_members(path, data):
        member = f"{path}({name})"
        try:
            reports.append(checks.check(member, body))
        except (Malformed, struct.error, LookupError, ValueError, zlib.error) as error:
            raise Malformed(f"member {name}: {error}") from error
    return reports


def write_inlined(paths, patterns):
    """Exit status."""
    failed = False
    for path in paths:
        try:
            with open(path, "rb") as opened:
                data = opened.read()
            beside, count = inlined.write_beside(path, data, [*inlined.listed_patterns(), *patterns])
            print(f"{beside}: {count} ranges of inlined calls")
        except OSError as error:
            failed = True
            print(f"check_binary.py: {path}: {error.strerror}", file=sys.stderr)
        except (Malformed, struct.error, LookupError, ValueError, zlib.error) as error:
            failed = True
            text = str(error) if isinstance(error, Malformed) else f"malformed ({error})"
            print(f"check_binary.py: {path}: {text}", file=sys.stderr)
    return 2 if failed else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="a list of reports, for programs to read")
    parser.add_argument("--findings-only", action="store_true", help="leave out files without findings")
    parser.add_argument("--write-inlined", action="store_true",
                        help="no reports: write beside each program or shared object where functions that do "
                             "not survive an interrupt were inlined, for the library to read")
    parser.add_argument("--function", action="append", default=[], metavar="PATTERN",
                        help="with --write-inlined: one more pattern of such functions")
    arguments = parser.parse_args()
    if arguments.write_inlined:
        return write_inlined(arguments.files, arguments.function)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)

    reports, failed = [], False
    for path in arguments.files:
        try:
            reports += reports_on(path)
        except OSError as error:
            failed = True
            print(f"check_binary.py: {path}: {error.strerror}", file=sys.stderr)
        except (Malformed, struct.error, LookupError, ValueError, zlib.error) as error:
            failed = True
            text = str(error) if isinstance(error, Malformed) else f"malformed ({error})"
            print(f"check_binary.py: {path}: {text}", file=sys.stderr)
    found = any(report.findings for report in reports)
    if arguments.findings_only:
        reports = [report for report in reports if report.findings]
    if arguments.json:
        print(json.dumps([dataclasses.asdict(report) for report in reports], indent=2))
    else:
        for report in reports:
            print("\n".join(report.lines()))
    return 2 if failed else 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
