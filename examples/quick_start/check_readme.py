# SPDX-License-Identifier: MIT
"""usage: check_readme.py README PROGRAM

The README shows quick_start/main.cpp to the letter, and the program does what the README says.
"""

import pathlib
import subprocess
import sys

readme = pathlib.Path(sys.argv[1]).read_text()
source = (pathlib.Path(__file__).parent / "main.cpp").read_text()
shown = source.split("\n", 1)[1]  # without the licence line
if shown not in readme:
    sys.exit("README.md does not show examples/quick_start/main.cpp as it is")

lines = "(a+b+c+d)^20\n(a+b+c+d+e+f+g+h)^40\n(1+x)^100\n"
result = subprocess.run([sys.argv[2]], input=lines, text=True, capture_output=True, timeout=60)
print(result.stdout, result.stderr)
answers = result.stdout.splitlines()
assert result.returncode == 0, result.returncode
assert answers[0].startswith("(a+b+c+d)^20 has 1771 terms, took "), answers[0]
assert answers[1].startswith(
    "(a+b+c+d+e+f+g+h)^40: allocations limit of 200 MiB reached by a request for "), answers[1]
assert answers[2].startswith("(1+x)^100 has 101 terms, took "), answers[2]
