# SPDX-License-Identifier: MIT
"""docs/tutorial.md, followed by the letter: each command is run, and prints each line that the page shows, but for
amounts and the space around them."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# An amount: not a line of a source, "main.cpp:74". Its unit depends on how much it is.
AMOUNT = re.compile(r"(?<![\w:.])[\d,]+(?:\.\d+)?(?: ?(?:[KMG]iB|B|%|ms|us|s)\b(?:/s)?)?(?: %)?")


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


def without_amounts(line):
    return " ".join(AMOUNT.sub(lambda amount: "0" if amount[0] == "0 B" else "#", line).split())


def pattern_of(shown):
    """Of a line of the page: "..." stands for any text. An estimate, or an end of its interval, may come out as 0 B,
    which has no error, wherever the page shows another amount; or the other way round."""
    parts = []
    for part in without_amounts(shown).split("..."):
        words = re.split(r"(# \+-#|(?<![^\s(])[#0](?![^\s)]))", part.strip())
        parts.append("".join({"# +-#": r"(?:# \+-#|0)", "0": r"(?:0|#(?: \+-#)?)", "#": "[#0]"}.get(w, re.escape(w))
                             for w in words))
    return re.compile(".*".join(parts))


class Tutorial(unittest.TestCase):
    def test_every_step(self):
        build = pathlib.Path(os.environ["MEMPROF_COMMAND"]).parents[1]
        path = f"{build / 'bin'}:{build / 'examples'}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path}
        environment.pop("COLUMNS", None)  # as the page shows them, lines are not wrapped
        outputs = {}
        with tempfile.TemporaryDirectory() as directory:
            for command, shown in steps():
                run = subprocess.run(command.split(), cwd=directory, capture_output=True, text=True,
                                     env=environment, check=False)
                self.assertEqual(run.returncode, 0, command + "\n" + run.stderr)
                outputs[command] = run.stdout
                printed = [without_amounts(line) for line in run.stdout.splitlines()]
                for pattern in map(pattern_of, shown):
                    self.assertTrue(any(pattern.fullmatch(line) for line in printed),
                                    f"{command}\nis to print {pattern.pattern}\nand printed\n{run.stdout}")
        self.assertGreaterEqual(len(outputs), 8)

        leak = outputs["memprof top --live-at-end -n 3 leaky.ctf"]
        self.assertRegex(first_row(leak), r"metrics::record$")
        old = outputs["memprof top --live-at-end --allocated-before 300ms -n 3 leaky.ctf"]
        self.assertRegex(first_row(old), r"metrics::record$")
        peak = outputs["memprof top --live-at-peak -n 3 log.ctf"]
        self.assertRegex(first_row(peak), r"format_line$")


def first_row(table):
    lines = table.splitlines()
    heading = next(i for i, line in enumerate(lines) if line.rstrip().endswith("function"))
    return lines[heading + 1]


if __name__ == "__main__":
    unittest.main()
