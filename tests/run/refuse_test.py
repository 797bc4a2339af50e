# SPDX-License-Identifier: MIT
"""`memprof run --on-limit refuse`: large requests that have no room get null, and programs that check live on."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from limited import COMMAND, Limited

PROGRAM = r"""
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
__attribute__((noinline)) void* ask(std::size_t mib) { return std::malloc(mib << 20); }
int main() {
  errno = 0;
  void* volatile large = ask(1000);
  const bool no_memory = errno == ENOMEM;
  std::printf("%s %d\n", large == nullptr ? "null" : "granted", no_memory);
  std::printf("%s\n", std::calloc(500, 1 << 20) == nullptr ? "null" : "granted");
  try {
    char* volatile array = new char[600 << 20];
    delete[] array;
    std::puts("granted");
  } catch (std::bad_alloc const&) {
    std::puts("bad_alloc");
  }
  void* block = ask(20);
  std::printf("%s\n", std::realloc(block, 700 << 20) == nullptr ? "null" : "granted");
  std::size_t small = 0;
  for (int i = 0; i < 200000; ++i) small += std::malloc(1000) != nullptr;
  std::printf("%zu\n", small);
}
"""


def setUpModule():
    global program
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-refuse-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    program = folder / "asks"
    subprocess.run(["g++", "-O1", "-g", "-x", "c++", "-", "-o", program], input=PROGRAM, text=True, check=True)


class Refuse(Limited):
    def test_large_requests_and_small_ones(self):
        result = self.run_limited("--memory", "100MiB", "--on-limit", "refuse", program=[program])
        self.assertEqual(result.stdout, "null 1\nnull\nbad_alloc\nnull\n200000\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(" MiB was refused under the limit of 100 MiB\n", result.stderr)
        self.assertIn("memprof: 4 requests were refused\n", result.stderr)
        self.assertIn("over the limit of 100 MiB\n", result.stderr)  # by the small ones

    def test_without_refusal_all_is_granted(self):
        result = self.run_limited("--memory", "100MiB", program=[program])
        self.assertEqual(result.stdout, "granted 0\ngranted\ngranted\ngranted\n200000\n")

    @unittest.skipUnless(shutil.which("redis-server") and shutil.which("redis-cli"), "no redis here")
    def test_redis_answers_with_its_own_error_and_lives(self):
        socket = self.here / "redis"

        def redis(*words, **more):
            return subprocess.run(["redis-cli", "-s", socket, *words], text=True, capture_output=True, timeout=30, **more)

        with subprocess.Popen([COMMAND, "run", "--memory", "100MiB", "--on-limit", "refuse", "--", "redis-server",
                               "--port", "0", "--unixsocket", socket, "--save", "", "--daemonize", "no"],
                              cwd=self.here, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            until = time.time() + 30
            while time.time() < until and redis("ping").stdout != "PONG\n":
                time.sleep(0.05)
            for key in "ab":
                self.assertEqual(redis("-x", "set", key, input=key * 10000).stdout, "OK\n")
            # A table of 400 MB.
            self.assertIn("Insufficient memory, failed allocating transient memory", redis("lcs", "a", "b").stdout)
            self.assertEqual(redis("ping").stdout, "PONG\n")
            self.assertEqual(redis("strlen", "a").stdout.strip(), "10000")
            redis("shutdown", "nosave")
            errors = run.communicate(timeout=30)[1]
        self.assertEqual(run.returncode, 0, errors)
        self.assertRegex(errors, r"a request for 38\d MiB was refused under the limit of 100 MiB")


if __name__ == "__main__":
    unittest.main()
