# SPDX-License-Identifier: MIT
"""docs/tutorial.md, followed by the letter: each command is run, and names the functions that the page shows."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = re.compile(r"(?:\w+::)+\w+")


def steps():
    """[(command, the lines shown under it)] of the page."""
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


class Tutorial(unittest.TestCase):
    def test_every_step(self):
        build = pathlib.Path(os.environ["MEMPROF_COMMAND"]).parents[1]
        path = f"{build / 'bin'}:{build / 'examples'}:{os.environ['PATH']}"
        outputs = {}
        with tempfile.TemporaryDirectory() as directory:
            for command, shown in steps():
                run = subprocess.run(command.split(), cwd=directory, capture_output=True, text=True,
                                     env={**os.environ, "PATH": path}, check=False)
                self.assertEqual(run.returncode, 0, command + "\n" + run.stderr)
                outputs[command] = run.stdout
                for name in {n for line in shown for n in NAME.findall(line)}:
                    self.assertIn(name, run.stdout, command)
        self.assertGreaterEqual(len(outputs), 8)

        leak = outputs["memprof top --live-at-end -n 3 leaky.ctf"]
        self.assertRegex(first_row(leak), r"metrics::record$")
        old = outputs["memprof top --live-at-end --allocated-before 300ms -n 3 leaky.ctf"]
        self.assertRegex(first_row(old), r"metrics::record$")
        self.assertNotIn("cache::render", old)
        peak = outputs["memprof top --live-at-peak -n 3 log.ctf"]
        self.assertRegex(first_row(peak), r"format_line$")


def first_row(table):
    lines = table.splitlines()
    heading = next(i for i, line in enumerate(lines) if line.rstrip().endswith("function"))
    return lines[heading + 1]


if __name__ == "__main__":
    unittest.main()
