# SPDX-License-Identifier: MIT
"""Code without symbols: what sums up functions names it by where its function begins, what shows each call by the
address of the call."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
# Two calls in one function, neither of which is its last act: that would be a jump. Of two functions, or clang has
# one call for both.
PROGRAM = r"""
#include <cstdlib>
[[gnu::noinline]] void* two(int i) {
  void* block = nullptr;
  if (i % 2 == 0) {
    block = std::malloc(92);
    static_cast<char volatile*>(block)[i % 92] = 1;
  } else {
    block = std::calloc(192, 1);
    static_cast<char volatile*>(block)[i % 192] = 2;
  }
  return block;
}
int main() {
  for (int i = 0; i < 2000; ++i) std::free(two(i));
}
"""


def memprof(*arguments):
    run = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def setUpModule():
    global program
    program = compiled(PROGRAM)
    subprocess.run(["strip", "-s", str(program)], check=True)


class UnnamedCode(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = pathlib.Path(folder.name) / "a.ctf"
        memprof("record", "-q", "-o", self.trace, "--rate", "1", program)

    def test_a_function_is_one_row(self):
        rows = [r for r in json.loads(memprof("top", "--json", "-n", "0", self.trace))["rows"]
                if r["name"].startswith("program+0x") and r["self"]["allocated"]["bytes"] > 0]
        # Exact at rate 1: so many bytes, counted with a header each.
        self.assertEqual([r["self"]["allocated"]["bytes"] for r in rows], [1000 * (104 + 200)])
        name = rows[0]["name"]
        leaves = {line.rpartition(" ")[0].split(";")[-1] for line in memprof("flamegraph", self.trace).splitlines()
                  if "program+0x" in line}
        self.assertEqual(leaves, {name})
        self.assertIn(name, memprof("convert", "--to", "folded", self.trace))
        frames = json.loads(memprof("convert", "--to", "speedscope", self.trace))["shared"]["frames"]
        self.assertIn(name, [f["name"] for f in frames])

    def test_each_call_has_its_address(self):
        for command in (["dump"], ["convert", "--to", "csv"]):
            found = set(re.findall(r"program\+0x[0-9a-f]+", memprof(*command, self.trace)))
            self.assertEqual(len(found), 4, command)  # the two calls of `two`, main's, and the one of main


if __name__ == "__main__":
    unittest.main()
