# SPDX-License-Identifier: MIT
"""`memprof run --on-limit refuse`: large requests that have no room get null, and programs that check live on."""

import pathlib
import re
import shutil
import signal
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
# Asks in a child, which outlives it; and once more when its standard input ends.
DAEMON = r"""
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__attribute__((noinline)) void ask() {
  void* volatile block = std::malloc(std::size_t{1000} << 20);
  std::puts(block == nullptr ? "null" : "granted");
  std::fflush(stdout);
  std::free(block);
}
int main() {
  ask();
  const pid_t first = getpid();
  if (fork() != 0) return 0;
  setsid();
  while (getppid() == first) usleep(1000);
  ask();
  char letter;
  if (read(STDIN_FILENO, &letter, 1) == 0) ask();
}
"""


def setUpModule():
    global program, daemon
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-refuse-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    program, daemon = folder / "asks", folder / "daemon"
    for file, text in ((program, PROGRAM), (daemon, DAEMON)):
        subprocess.run(["g++", "-O1", "-g", "-x", "c++", "-", "-o", file], input=text, text=True, check=True)


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

    def test_nothing_is_refused_when_the_recorder_is_gone(self):
        """It is left by SIGINT, which takes its word back, or killed, which does not."""
        for signal_number, patience in ((signal.SIGINT, 0), (signal.SIGKILL, 6)):
            with self.subTest(signal_number.name):
                begin = [COMMAND, "run", "--memory", "100MiB", "--on-limit", "refuse", "--", daemon]
                with subprocess.Popen(begin, cwd=self.here, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL) as run:
                    self.assertEqual([run.stdout.readline(), run.stdout.readline()], ["null\n", "null\n"])
                    time.sleep(0.3)  # now it waits for the child
                    run.send_signal(signal_number)
                    self.assertEqual(run.wait(timeout=30), 0 if patience == 0 else -signal.SIGKILL)
                    time.sleep(patience)
                    run.stdin.close()
                    self.assertEqual(run.stdout.read(), "granted\n")

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
