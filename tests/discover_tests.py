# SPDX-License-Identifier: MIT
"""usage: discover_tests.py PROGRAM SUITE OUTPUT CATCH2_VERSION EMULATOR [PROPERTY VALUE]...

Asks a Catch2 program for its test cases and writes a CTest file with one test "SUITE: CASE" for each.
EMULATOR is the command that runs programs of the target's processor (a list of CMake's), or empty.

It takes the place of catch_discover_tests of Catch2 2.13, which takes a program that crashes for one
without tests, and a name with a lone bracket, as in "(0, 1]", for the beginning of a list: all cases
after it became one test that ran nothing and passed.
"""

import pathlib
import re
import subprocess
import sys


def bracket(argument):
    """As a bracket argument of CMake, which takes everything literally."""
    equals = "="
    while f"]{equals}]" in argument + "]":
        equals += "="
    return f"[{equals}[{argument}]{equals}]"


def ctest_file(run, suite, names, properties, no_tests_fail):
    lines = []
    for name in names:
        # In a test specification of Catch2 these would begin a tag, an alternative, an escape.
        spec = re.sub(r"([\[\],\\])", r"\\\1", name)
        command = [f"{suite}: {name}", *run, spec, *no_tests_fail]
        lines.append(f"add_test({' '.join(map(bracket, command))})\n")
        if properties:
            lines.append(f"set_tests_properties({bracket(command[0])} PROPERTIES "
                         f"{' '.join(map(bracket, properties))})\n")
    return "".join(lines)


def main():
    program, suite, output, version, emulator, *properties = sys.argv[1:]
    command = [*filter(None, emulator.split(";")), program]
    if int(version.split(".")[0]) >= 3:
        listing, no_tests_fail = ["--list-tests", "--verbosity", "quiet"], []
    else:
        listing, no_tests_fail = ["--list-test-names-only"], ["--warn", "NoTests"]
    run = subprocess.run([*command, *listing], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True, check=False)
    names = [line for line in run.stdout.split("\n") if line]
    # Version 2 ends with the number of tests, or 255. Negative: a signal.
    expected = 0 if "--list-tests" in listing else min(len(names), 255)
    if run.returncode != expected or not names:
        sys.exit(f"{program}: asked for its tests it named {len(names)}, "
                 f"and ended with status {run.returncode}")
    pathlib.Path(output).write_text(
        ctest_file(command, suite, names, properties, no_tests_fail), encoding="utf-8")


if __name__ == "__main__":
    main()
