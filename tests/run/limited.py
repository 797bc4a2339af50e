# SPDX-License-Identifier: MIT
"""What the tests of `memprof run` share: a program that leaks, and a folder for its reports."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
# Grows by 1 KiB blocks to argv[1] MiB, in argv[2] milliseconds; then waits, or ends.
LEAK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
struct node { struct node* next; char text[1000]; };
static struct node* list;
__attribute__((noinline)) void grow(void) {
  struct node* n = malloc(sizeof *n);
  if (n == NULL) { puts("no memory"); exit(3); }
  memset(n->text, 'x', sizeof n->text);
  n->next = list;
  list = n;
}
__attribute__((noinline)) void serve(int mib, int pause_us) {
  for (int i = 0; i < mib; ++i) {
    for (int k = 0; k < 1024; ++k) grow();
    usleep(pause_us);
  }
}
int main(int argc, char** argv) {
  const int mib = atoi(argv[1]);
  if (argc > 3 && strcmp(argv[3], "ignores TERM") == 0) signal(SIGTERM, SIG_IGN);
  if (argc > 3 && strcmp(argv[3], "handles USR2") == 0) signal(SIGUSR2, exit);
  if (argc > 3 && strcmp(argv[3], "fork") == 0 && fork() != 0) { serve(mib / 2, atoi(argv[2]) * 1000 / mib); sleep(1); return 0; }
  serve(mib, atoi(argv[2]) * 1000 / mib);
  puts("done");
  fflush(stdout);
  if (argc > 3 && strcmp(argv[3], "wait") == 0) pause();
  return 5;
}
"""


def compile_leak():
    """The program `leak`, in a folder of its own: call it in setUpModule."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-run-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    source = folder / "leak.c"
    source.write_text(LEAK, encoding="utf-8")
    subprocess.run([os.environ.get("CC", "cc"), "-g", "-O1", str(source), "-o", str(folder / "leak")], check=True)
    return folder / "leak"


class Limited(unittest.TestCase):
    """Each test in a folder of its own, where reports are."""

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(prefix="memprof-reports-"))
        self.addCleanup(shutil.rmtree, self.here)

    def run_limited(self, *arguments, program, timeout=60, **settings):
        return subprocess.run([COMMAND, "run", *arguments, "--", *map(str, program)], cwd=self.here, text=True,
                              capture_output=True, timeout=timeout, **settings)

    def reports(self, count=None):
        """The texts of the reports, in their order: as many as `count`."""
        files = sorted(self.here.glob("*.txt"), key=lambda f: int(f.name.split(".")[-2]))
        texts = [f.read_text(encoding="utf-8") for f in files]
        if count is not None:
            self.assertEqual(len(texts), count, "\n".join(texts))
        return texts

    def assert_report(self, text, culprit, cause):
        first = text.splitlines()[0]
        self.assertRegex(first, rf"^{culprit} holds ", text)
        self.assertRegex(first, cause, text)
        self.assertLessEqual(len(text.splitlines()), 20)

    def seconds_of(self, text):
        """After how many seconds a report is."""
        number, unit = re.search(r"([\d.]+) (ms|s) after the start", text).groups()
        return float(number) / (1000 if unit == "ms" else 1)
