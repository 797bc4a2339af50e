# SPDX-License-Identifier: MIT
"""Blocks so small that their headers matter: reports say how much is headers, since other tools do not count them."""

import os
import re
import subprocess
import unittest

from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
BLOCKS = 100_000
PROGRAM = r"""
#include <cstdlib>
int main(int, char** argv) {
  static void* volatile kept;
  const std::size_t size = std::strtoul(argv[1], nullptr, 10);
  for (int i = 0; i < BLOCKS; ++i) kept = std::malloc(size);
}
"""
KIB = 1024


def setUpModule():
    global program
    program = compiled(PROGRAM, f"-DBLOCKS={BLOCKS}")


class Headers(unittest.TestCase):
    def head(self, size):
        """Of `top`, of a trace at rate 1: nothing is random."""
        trace = program.with_suffix(f".{size}.ctf")
        subprocess.run([COMMAND, "record", "-q", "-f", "--rate", "1", "-o", str(trace), "--", str(program), str(size)],
                       check=True)
        text = subprocess.run([COMMAND, "top", str(trace)], capture_output=True, text=True, check=True).stdout
        return " ".join(text.split("\n\n")[0].split())

    def test_small_blocks(self):
        head = self.head(8)
        allocated = float(re.search(r"allocated ([\d.]+) MiB", head)[1]) * KIB
        headers = float(re.search(r"([\d.]+) KiB of what was allocated is headers, counted as one word for each block",
                                  head)[1])
        # 8 bytes of each block and 8 of its header, and what the C library allocates at its start.
        self.assertGreaterEqual(headers, BLOCKS * 8 / KIB - 1)
        self.assertLess(headers, BLOCKS * 8 / KIB * 1.02)
        self.assertGreaterEqual(allocated, BLOCKS * 16 / KIB * 0.99)
        self.assertLess(allocated, BLOCKS * 16 / KIB + 200)

    def test_larger_blocks(self):
        self.assertNotIn("header", self.head(64))


if __name__ == "__main__":
    unittest.main()
