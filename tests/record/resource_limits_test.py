# SPDX-License-Identifier: MIT
"""Under any resource limit a program ends as it does without us. Where we cannot work, the recorder says so."""

import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
PRELOAD = os.environ["MEMPROF_PRELOAD"]
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  puts("ready");
  fflush(stdout);
  for (int i = 0; i < (argc > 1 ? 150 : 10); ++i) {
    for (int k = 0; k < 1000; ++k) {
      char* volatile block = malloc(2000);
      if (block == NULL) return 9;
      memset(block, 1, 2000);
      free(block);
    }
    if (argc > 1) usleep(3000);
  }
  return 5;
}
"""
LIMITS = {name: (getattr(resource, f"RLIMIT_{name}"), value) for name, value in (
    ("FSIZE", 0), ("AS", 600 << 20), ("DATA", 64 << 20), ("STACK", 1 << 20), ("NOFILE", 24), ("MEMLOCK", 0),
    ("CPU", 50), ("SIGPENDING", 0), ("MSGQUEUE", 0), ("RTPRIO", 0))}


def limiting(name):
    return lambda: resource.setrlimit(LIMITS[name][0], (LIMITS[name][1],) * 2)


class ResourceLimits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.here = pathlib.Path(folder.name)
        cls.program = cls.here / "program"
        source = cls.here / "program.c"
        source.write_text(PROGRAM, encoding="utf-8")
        subprocess.run([os.environ.get("CC", "cc"), "-O1", source, "-o", cls.program], check=True)

    def modes(self):
        record = [COMMAND, "record", "--rate", "0.01", "-f", "-o"]
        yield "record", [*record, "r.ctf", "--"], {}
        yield "record --children", [*record, "c.%p.ctf", "--children", "--"], {}
        yield "run", [COMMAND, "run", "--memory", "1GiB", "--"], {}
        yield "preloaded", [], {"LD_PRELOAD": PRELOAD, "MEMPROF_RATE": "0.01"}
        yield "MEMTRACE", [], {"LD_PRELOAD": PRELOAD, "MEMTRACE": "m.ctf", "MEMTRACE_RATE": "0.01"}

    def test_of_the_program(self):
        """Of the program alone."""
        for name, (number, value) in LIMITS.items():
            for mode, command, settings in self.modes():
                with self.subTest(limit=name, mode=mode):
                    option = {"MEMLOCK": "memlock"}.get(name, name.lower())
                    prefix = ["prlimit", f"--{option}={value}:{value}"]
                    result = subprocess.run(
                        [*command, *prefix, *(("env", *(f"{k}={v}" for k, v in settings.items()))), self.program],
                        cwd=self.here, text=True, capture_output=True, timeout=60)
                    self.assertEqual(result.returncode, 5, result.stderr)

    def test_of_the_command(self):
        """What starts memprof has the limit, and memprof with it."""
        for name in LIMITS:
            for mode, command, settings in self.modes():
                if not command or name == "AS":
                    continue
                with self.subTest(limit=name, mode=mode):
                    result = subprocess.run([*command, self.program], cwd=self.here, text=True, capture_output=True,
                                            timeout=60, preexec_fn=limiting(name))
                    if name == "FSIZE" and result.returncode != 5:  # root may lift it
                        self.assertEqual(result.returncode, 1, result.stderr)
                        self.assertRegex(result.stderr, "^memprof: .* the limit on the size of files is lower: ")
                    else:
                        self.assertEqual(result.returncode, 5, result.stderr)

    def test_no_more_threads(self):
        """Of a user other than root, who may have any number."""
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        self.here.chmod(0o777)
        if os.getuid() != 0 or subprocess.run([*nobody, "test", "-r", PRELOAD, "-a", "-x", self.program]).returncode:
            self.skipTest("root starts this, and where others may read what was built")
        for mode, command, settings in self.modes():
            with self.subTest(mode=mode):
                (self.here / "m.ctf").unlink(missing_ok=True)
                result = subprocess.run(
                    [*command, *nobody, "prlimit", "--nproc=0:0", "env", *(f"{k}={v}" for k, v in settings.items()),
                     self.program], cwd=self.here, text=True, capture_output=True, timeout=60)
                self.assertEqual(result.returncode, 5, result.stderr)
                if mode == "MEMTRACE":
                    self.assertRegex(result.stderr, "^memprof: .*thread")

    def test_a_soft_limit_of_the_command(self):
        result = subprocess.run([COMMAND, "run", "--memory", "1GiB", "--", self.program], cwd=self.here, text=True,
                                capture_output=True, timeout=60,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                      (0, resource.RLIM_INFINITY)))
        self.assertEqual((result.returncode, result.stderr), (5, ""))

    def test_attached(self):
        for name in ("FSIZE", "AS", "DATA", "NOFILE", "MEMLOCK", "CPU", "SIGPENDING"):
            for children in ((), ("--children",))[name != "AS":]:
                with self.subTest(limit=name, children=children):
                    program = subprocess.Popen([self.program, "long"], cwd=self.here, text=True,
                                               stdout=subprocess.PIPE, env={**os.environ, "LD_PRELOAD": PRELOAD},
                                               preexec_fn=limiting(name))
                    self.addCleanup(program.stdout.close)
                    self.assertEqual(program.stdout.readline(), "ready\n")
                    recorder = subprocess.run([COMMAND, "record", "--rate", "0.01", "-f", "-o", "a.%p.ctf", *children,
                                               "--pid", str(program.pid)], cwd=self.here, text=True,
                                              capture_output=True, timeout=60)
                    self.assertEqual(program.wait(60), 5, recorder.stderr)
                    if name == "FSIZE":
                        self.assertEqual(recorder.returncode, 1)
                        self.assertRegex(recorder.stderr, r"^memprof: \d+ could not make the memory that is shared with "
                                         r"it: File too large; its limit on the size of files .*--fsize=unlimited")
                    else:
                        self.assertEqual(recorder.returncode, 0, recorder.stderr)


if __name__ == "__main__":
    unittest.main()
