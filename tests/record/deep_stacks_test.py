# SPDX-License-Identifier: MIT
"""A recursion that goes deeper, from sample to sample, than a stack is taken."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
PRELOAD = os.environ["MEMPROF_PRELOAD"]
DEPTH = 20_000
# A descent allocates 2 GB, most of which is never touched: at the default rate it has some 5000 samples.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
[[gnu::noinline]] long descend(int depth) {
  void* block = std::malloc(100000);
  long n = 1 + (depth > 1 ? descend(depth - 1) : 0);
  std::free(block);
  return n;
}
int main() {
  long n = 0;
  for (int i = 0; i < 3; ++i) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 20);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, [](void* to) -> void* {
      *static_cast<long*>(to) += descend(@DEPTH@);
      return nullptr;
    }, &n) != 0) return 1;
    pthread_join(thread, nullptr);
  }
  std::printf("%ld\n", n);
}
""".replace("@DEPTH@", str(DEPTH))


def setUpModule():
    global program
    program = compiled(PROGRAM)


class DeepStacks(unittest.TestCase):
    def test_recorded_and_traced(self):
        for how in ("record", "MEMTRACE"):
            for attempt in range(3):
                with self.subTest(how, attempt=attempt), tempfile.TemporaryDirectory() as folder:
                    trace = pathlib.Path(folder) / "a.ctf"
                    if how == "record":
                        command, environment = [COMMAND, "record", "-q", "-o", trace, "--", program], {}
                    else:
                        command, environment = [program], {"LD_PRELOAD": PRELOAD, "MEMTRACE": str(trace)}
                    run = subprocess.run(command, capture_output=True, text=True, check=False,
                                         env={**os.environ, **environment})
                    self.assertEqual((run.returncode, run.stdout, run.stderr), (0, f"{3 * DEPTH}\n", ""))
                    top = subprocess.run([COMMAND, "top", "--json", trace], capture_output=True, text=True, check=True)
                    row = json.loads(top.stdout)["rows"][0]
                    self.assertEqual(row["name"], "descend")


if __name__ == "__main__":
    unittest.main()
