# SPDX-License-Identifier: MIT
"""Programs that run with more rights than who starts them (set-user-id): our library in one ignores its environment,
and the recorder says that it cannot trace it."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <sys/auxv.h>
#include "memprof/memprof.hpp"
// The byte behind the block is glibc's to give away, too (malloc_usable_size): without a guard nothing happens.
[[gnu::noinline]] void write_behind(char volatile* block, std::size_t size) { block[size] = 1; }
int main() {
  memprof::trace_if_requested("secure");
  std::printf("%lu %g\n", getauxval(AT_SECURE), memprof::process_sampling_rate().per_word());
  std::fflush(stdout);
  char* const block = static_cast<char*>(std::malloc(64));
  asm volatile("" ::"r"(block) : "memory");
  write_behind(block, 64);
}
"""


@unittest.skipIf(os.geteuid() != 0, "only root can give a program the rights of another user")
class Secure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.here = pathlib.Path(tempfile.mkdtemp(prefix="memprof-secure-"))
        cls.addClassCleanup(shutil.rmtree, cls.here)
        cls.here.chmod(0o777)
        source = cls.here / "program.cpp"
        source.write_text(PROGRAM, encoding="utf-8")
        cls.usual, cls.raised = cls.here / "usual", cls.here / "raised"
        subprocess.run([os.environ["CXX"], "-std=c++23", "-O1", f"-I{ROOT / 'include'}", str(source), "-o",
                        str(cls.usual), *os.environ["MEMPROF_LINKED"].split(), "-pthread"], check=True)
        shutil.copy(cls.usual, cls.raised)
        os.chown(cls.raised, pwd.getpwnam("nobody").pw_uid, -1)
        cls.raised.chmod(0o4755)

    def run_with(self, program, **environment):
        """Its status, AT_SECURE, rate, and what it says to the user."""
        result = subprocess.run([str(program)], env={**os.environ, **environment}, cwd=self.here, text=True,
                                capture_output=True, timeout=60)
        secure, rate = result.stdout.split()
        if program == self.raised and secure == "0":
            self.skipTest("the folder is mounted without set-user-id")
        return result.returncode, secure, float(rate), result.stderr

    def test_the_rate(self):
        self.assertEqual(self.run_with(self.usual, MEMPROF_RATE="0.5"), (0, "0", 0.5, ""))
        self.assertEqual(self.run_with(self.raised, MEMPROF_RATE="0.5"), (0, "1", 1e-4, ""))

    def test_no_file_is_written(self):
        for program, written in ((self.usual, True), (self.raised, False)):
            trace = self.here / f"{program.name}.ctf"
            self.assertEqual(self.run_with(program, MEMTRACE=str(trace))[0], 0)
            self.assertEqual(trace.exists(), written)

    def test_the_guard(self):
        settings = {"MEMPROF_GUARD": "1", "MEMPROF_RATE": "1"}
        status, _, _, said = self.run_with(self.usual, **settings)
        self.assertEqual(status, -signal.SIGSEGV)
        self.assertIn("heap overflow: write 1 byte past the end of a block of 64 bytes", said)
        self.assertEqual(self.run_with(self.raised, **settings), (0, "1", 1e-4, ""))

    def test_a_recorder(self):
        self.run_with(self.raised)  # or skip
        result = subprocess.run([COMMAND, "record", "-o", "r.ctf", "--", str(self.raised)], cwd=self.here, text=True,
                                capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 126)
        self.assertIn("cannot be traced: it runs with other rights than yours", result.stderr)
        # And as a child of what is recorded it goes on as it would, and leaves no trace.
        result = subprocess.run([COMMAND, "record", "--rate", "1", "--children", "-o", "c.%p.ctf", "--", "sh", "-c",
                                 f"{self.raised}; :"], cwd=self.here, text=True, capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (0, "1 0.0001\n"), result.stderr)
        names = [subprocess.run([COMMAND, "identify", str(trace)], text=True, capture_output=True, check=True).stdout
                 for trace in self.here.glob("c.*.ctf")]
        self.assertEqual(len(names), 1, result.stderr)
        self.assertNotIn(str(self.raised), names[0].splitlines()[0])


if __name__ == "__main__":
    unittest.main()
