# SPDX-License-Identifier: MIT
"""A program's own forms of operator new and delete are called as often as without memprof: under the preload
library, linked with memprof and recorded, with no block sampled, some, and all of them, guarded, too.

usage: own_forms_test.py BARE [LINKED]

BARE is the program as it is, LINKED the same linked with memprof::memprof.
"""

import os
import pathlib
import subprocess
import sys
import tempfile


def run(command, **variables):
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    bare, *linked = sys.argv[1:]
    expected = run([bare])
    assert expected[0] == 0 and any(int(n) > 0 for n in expected[1].split()), expected
    preload = os.environ["MEMPROF_PRELOAD"]
    ways = [("preloaded", bare, {"LD_PRELOAD": preload})] + [("linked", each, {}) for each in linked]
    settings = [{"MEMPROF_RATE": rate} for rate in ("0", "1e-4", "1")]
    settings.append({"MEMPROF_RATE": "1", "MEMPROF_GUARD": "1"})
    failures = [(name, setting, seen)
                for name, program, variables in ways for setting in settings
                if (seen := run([program], **variables, **setting)) != expected]
    with tempfile.TemporaryDirectory() as folder:
        for program in [bare, *linked] if "MEMPROF_COMMAND" in os.environ else []:
            status, printed, said = run([os.environ["MEMPROF_COMMAND"], "record", "--rate", "1", "-o",
                                         str(pathlib.Path(folder) / f"{len(os.listdir(folder))}.ctf"), "--", program])
            if (status, printed) != expected[:2]:
                failures.append(("recorded", program, (status, printed, said)))
    for failure in failures:
        print(*failure, "instead of", expected)
    sys.exit(len(failures) > 0)


if __name__ == "__main__":
    main()
