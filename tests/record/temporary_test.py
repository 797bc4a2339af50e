# SPDX-License-Identifier: MIT
"""`memprof temporary` and --freed-within, on programs whose temporary blocks are known. Random: shares are compared at
6.2 standard deviations (a correct sampler fails once in 1e9)."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
# Each of the functions allocates blocks of 64 bytes (9 words): freed at once; after 1790 more words of another thread;
# after 1790 more words of its own (a block of 14312 bytes: 1789 words, and a header's); never.
PROGRAM = r"""
#include <atomic>
#include <cstdlib>
#include <thread>
constexpr int blocks = 20000;
[[gnu::noinline]] static void* take(std::size_t n) { return std::malloc(n); }
[[gnu::noinline]] static void* take_more() { return std::malloc(14312); }
[[gnu::noinline]] static void at_once() {
  for (int i = 0; i < blocks; ++i) std::free(take(64));
}
[[gnu::noinline]] static void after_more() {
  for (int i = 0; i < blocks; ++i) {
    void* const p = take(64);
    void* const more = take_more();
    std::free(p);
    std::free(more);
  }
}
[[gnu::noinline]] static void never() {
  static void* volatile kept;
  for (int i = 0; i < 2000; ++i) kept = take(64);
}
[[gnu::noinline]] static void after_others() {
  std::atomic<int> turn{0};
  std::thread other([&] {
    for (int i = 0; i < 2000; ++i) {
      while (turn.load() != 2 * i + 1) std::this_thread::yield();
      std::free(take_more());
      turn.store(2 * i + 2);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    void* const p = take(64);
    turn.store(2 * i + 1);
    while (turn.load() != 2 * i + 2) std::this_thread::yield();
    std::free(p);
  }
  other.join();
}
int main() {
  at_once();
  after_more();
  never();
  after_others();
}
"""
WORDS = 1790


def setUpModule():
    global program
    program = compiled(PROGRAM)


def report(*arguments):
    return json.loads(subprocess.run([COMMAND, *map(str, arguments), "--json"], capture_output=True, text=True,
                                     check=True).stdout)


class Temporary(unittest.TestCase):
    def recorded(self, rate):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        trace = pathlib.Path(folder.name) / "a.ctf"
        subprocess.run([COMMAND, "record", "-q", "-o", trace, "--rate", rate, "--", program], check=True)
        return trace

    def of(self, trace, function, *options):
        """(objects, of allocated) under a function, of the blocks of `take`."""
        rows = report("temporary", "--function", function, "-n", 0, *options, trace)["rows"]
        row = next((r for r in rows if r["name"] == "take"), None)
        return (row["temporary"], row["allocated"]) if row else (None, None)

    def test_exact(self):
        trace = self.recorded("1")
        for function, options, wanted in [("at_once", (), 20000), ("after_more", (), 0), ("never", (), 0),
                                          ("after_others", (), 2000),
                                          ("after_more", ("--within", f"{8 * WORDS - 1}B"), 0),
                                          ("after_more", ("--within", f"{8 * WORDS}B"), 20000),
                                          ("never", ("--within", "1GiB"), 0)]:
            with self.subTest(function=function, options=options):
                found, _ = self.of(trace, function, *options)
                self.assertEqual(found["objects"] if found else 0, wanted)
        # The same blocks in another report.
        chosen = report("top", "--freed-within", "0B", "--function", "at_once", trace)
        self.assertEqual(chosen["all"]["allocated"]["samples"], 20000 * 9)

    def test_sampled(self):
        rate = 1 / 2000
        trace = self.recorded(str(rate))
        found, allocated = self.of(trace, "at_once")
        self.assertEqual(found["samples"], allocated["samples"])
        # A block that is freed W words later counts with (1 - p)^W.
        found, allocated = self.of(trace, "after_more")
        chance, blocks = (1 - rate) ** WORDS, allocated["samples"]
        self.assertGreater(blocks, 30)
        self.assertAlmostEqual(found["samples"] / blocks, chance, delta=6.2 * (chance * (1 - chance) / blocks) ** 0.5)
        # With room for many samples all of them do: more than 15 in 1790 words have a chance under 1e-13.
        found, allocated = self.of(trace, "after_more", "--within", "256KiB")
        self.assertEqual(found["samples"], allocated["samples"])

    def test_text_says_what_is_known(self):
        trace = self.recorded("0.001")
        text = subprocess.run([COMMAND, "temporary", trace], capture_output=True, text=True, check=True).stdout
        self.assertIn("7.81 KiB", text.split("\n\n")[0])
        self.assertIn("take_more", text)
        bad = subprocess.run([COMMAND, "temporary", "--within", "3", trace], capture_output=True, text=True, check=False)
        self.assertEqual(bad.returncode, 2)
        self.assertIn("--within", bad.stderr)


if __name__ == "__main__":
    unittest.main()
