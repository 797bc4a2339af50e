# SPDX-License-Identifier: MIT
"""`memprof run` over more processes than the recorder has room for: they count, and it is said at once."""

import os
import subprocess
import time
import unittest

from limited import Limited

# 300 children hold 2 MiB each, for at most argv[1] seconds.
MANY = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char** argv) {
  for (int i = 0; i < 300; ++i) {
    if (fork() != 0) continue;
    for (int k = 0; k < 512; ++k) memset(malloc(4096), 'x', 4096);
    sleep(atoi(argv[1]));
    _exit(0);
  }
  while (wait(NULL) > 0) {}
  return 0;
}
"""


class ManyProcesses(Limited):
    def setUp(self):
        super().setUp()
        (self.here / "many.c").write_text(MANY, encoding="utf-8")
        self.program = self.here / "many"
        subprocess.run([os.environ.get("CC", "cc"), "-O1", self.here / "many.c", "-o", self.program], check=True)

    def test_they_reach_the_limit_together(self):
        for limit in ("400MiB",):  # those that are recorded hold 256 MiB
            with self.subTest(limit):
                begin = time.monotonic()
                result = self.run_limited("--memory", limit, "--on-limit", "term", "--output", limit,
                                          program=[self.program, 40])
                self.assertEqual(result.returncode, 124, result.stderr)
                self.assertLess(time.monotonic() - begin, 30, result.stderr)  # all of them were ended
                self.assertIn("more processes run at once than can be recorded", result.stderr)
                self.assertRegex(result.stderr, rf"over the limit of {limit[:3]} MiB")
        self.assertRegex(result.stderr, r"MiB in 1\d\d processes that could not be recorded: over the limit of 400 MiB")
        said = result.stderr
        self.assertLess(said.index("than can be recorded"), said.index("over the limit of 400 MiB"), said)

    def test_under_the_limit_they_end_by_themselves(self):
        result = self.run_limited("--memory", "1GiB", "--on-limit", "term", program=[self.program, 2])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("more processes run at once than can be recorded", result.stderr)


if __name__ == "__main__":
    unittest.main()
