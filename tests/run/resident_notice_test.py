# SPDX-License-Identifier: MIT
"""`memprof run` without --resident: memory that is not from malloc passes the limit, and one report says so."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from limited import Limited, compile_leak
from show_cases_test import BOMB

# Maps argv[1] MiB and uses them, in argv[2] processes that share them by fork; a mebibyte comes from malloc.
MAPS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static char* blocks[1024];
__attribute__((noinline)) void fill(void) {
  for (int i = 0; i < 1024; ++i) memset(blocks[i] = malloc(1000), 1, 1000);
}
int main(int argc, char** argv) {
  const size_t size = (size_t)atoi(argv[1]) << 20;
  fill();
  char* all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < size; i += 1 << 20) { memset(all + i, 1, 1 << 20); usleep(1000); }
  for (int i = 1; i < atoi(argv[2]); ++i) if (fork() == 0) { sleep(1); return 0; }
  sleep(1);
  while (wait(NULL) > 0) continue;
  return all[size - 1] + 4;
}
"""
LISTS = """
print(len([[i] for i in range(1500000)]))
"""
CAUSE = (r"resident memory is over the limit of {limit}, but what counts is malloc's, [\d.]+ \wiB: "
         r"--resident limits all of it$")


def setUpModule():
    global leak, maps
    leak = compile_leak()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-run-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    maps = folder / "maps"
    (folder / "maps.c").write_text(MAPS, encoding="utf-8")
    subprocess.run([os.environ.get("CC", "cc"), "-g", "-O1", folder / "maps.c", "-o", maps], check=True)


class ResidentNotice(Limited):
    def assert_notice(self, name, limit, result):
        """The one report, and nothing was ended by it."""
        report, = self.reports(1)
        first = report.splitlines()[0]
        found = re.match(rf"{name} \(\d+\) holds ([\d.]+) MiB; ([\d.]+) MiB resident and anonymous, most of it not from "
                         rf"malloc: {CAUSE.format(limit=limit)}", first)
        self.assertTrue(found, report)
        self.assertGreater(float(found[2]), float(limit.split()[0]))
        self.assertEqual(result.stderr.count("resident memory is over"), 1)
        self.assertIn(first + "\n", result.stderr)

    def test_memory_that_is_mapped(self):
        for action in ("report", "term"):
            with self.subTest(action):
                result = self.run_limited("--memory", "60MiB", "--on-limit", action, "-o", action, program=[maps, 150, 1])
                self.assertEqual(result.returncode, 5, result.stderr)
                self.assert_notice("maps", "60.0 MiB", result)
                for file in self.here.glob(action + "*"):
                    file.unlink()

    def test_the_option_that_it_names(self):
        result = self.run_limited("--memory", "60MiB", "--resident", "--on-limit", "term", program=[maps, 150, 1])
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertNotIn("resident memory is over", result.stderr)

    def test_pages_that_forked_processes_share_are_no_news(self):
        result = self.run_limited("--memory", "200MiB", program=[maps, 100, 5])
        self.assertEqual((result.returncode, result.stderr), (5, ""))

    def test_malloc_over_the_limit_has_its_own_reports_alone(self):
        result = self.run_limited("--memory", "60MiB", program=[leak, 80, 800])
        self.assertEqual(result.returncode, 5)
        self.assertEqual(len(self.reports()), 2)
        self.assertNotIn("resident memory is over", result.stderr)

    def test_python_with_small_objects(self):
        script = self.here / "lists.py"
        script.write_text(LISTS, encoding="utf-8")
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONMALLOC"}
        result = self.run_limited("--memory", "80MiB", program=["python3", script], env=environment)
        self.assertEqual((result.returncode, result.stdout), (0, "1500000\n"), result.stderr)
        self.assert_notice(r"python3\S*", "80.0 MiB", result)

    @unittest.skipUnless(shutil.which("g++"), "no g++ here")
    def test_a_template_bomb(self):
        source = self.here / "bomb.cpp"
        source.write_text(BOMB.replace("node<20", "node<15"), encoding="utf-8")
        result = self.run_limited("--memory", "50MiB", program=["g++", "-fsyntax-only", source])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_notice("cc1plus", "50.0 MiB", result)


if __name__ == "__main__":
    unittest.main()
