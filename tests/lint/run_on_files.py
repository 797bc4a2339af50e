# SPDX-License-Identifier: MIT
"""usage: run_on_files.py PROGRAM [OPTIONS] -- ENDING...

Runs PROGRAM on all files of the project whose names end so.
"""

import subprocess
import sys

from lint_files import ROOT, project_files

if __name__ == "__main__":
    split = sys.argv.index("--")
    command, endings = sys.argv[1:split], tuple(sys.argv[split + 1:])
    files = [name for name in project_files() if name.endswith(endings)]
    sys.exit(subprocess.run([*command, *files], cwd=ROOT, check=False).returncode)
