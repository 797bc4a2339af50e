# SPDX-License-Identifier: MIT
"""The mappings of a pprof profile of a trace without symbols: the program once, with its whole build id."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
import convert_test  # noqa: E402


def main():
    command = os.environ["MEMPROF_COMMAND"]
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "a.ctf")
        subprocess.run([command, "record", "-q", "--no-symbols", "--rate", "1e-3", "-o", trace, "--",
                        sys.executable, "-c", "x = [bytes(5000) for _ in range(2000)]"], check=True)
        for arguments, looked_up in ((["--no-symbols"], 0), ([], 1)):
            data = subprocess.run([command, "convert", trace, "--to", "pprof", *arguments],
                                  capture_output=True, check=True).stdout
            profile = convert_test.Profile(data)
            mappings = [dict(m) for m in profile.mappings]
            files = [profile.strings[m[5]] for m in mappings]
            assert len(set(files)) == len(files), files
            for m, file in zip(mappings, files, strict=True):
                if not m.get(2):
                    continue
                notes = subprocess.run(["readelf", "-n", file], capture_output=True, text=True).stdout
                assert profile.strings[m[6]] == re.search(r"Build ID: (\w+)", notes)[1], file
            covered = [m for m in mappings if m.get(3)]
            assert covered, files
            for m in covered:
                addresses = [dict(x)[3] for x in profile.locations if dict(x)[2] == m[1]]
                assert addresses and all(m[2] <= a < m[3] for a in addresses), m
                if not looked_up:
                    assert m.get(7, 0) == 0, m


if __name__ == "__main__":
    main()
