# SPDX-License-Identifier: MIT
"""MEMTRACE names one process: the program that it is given to, and what that one is replaced by. Its children are not
traced to the same file, whatever program it is: bash has a setenv of its own, and passes on what its main was given."""

import os
import pathlib
import subprocess
import tempfile
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
SHELLS = [shell for shell in ("/bin/sh", "/bin/bash") if os.path.exists(shell)]


class Memtrace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_traced(self, shell, script, file="t.ctf"):
        """What the script prints. It exits with 3, and nobody says anything on standard error."""
        done = subprocess.run([shell, "-c", script], cwd=self.folder, capture_output=True, text=True, check=False, env={
            **os.environ, "LD_PRELOAD": os.environ["MEMPROF_PRELOAD"], "MEMTRACE": file, "MEMTRACE_RATE": "1"})
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        return done.stdout

    def traced(self, samples_of=()):
        """{file: program} of the traces, here and in the folder below. Those of `samples_of` have samples; of programs
        that call _exit, as dash, or are replaced by others, the last half second may be lost."""
        programs = {}
        for trace in sorted(self.folder.rglob("*.ctf")):
            said = subprocess.run([COMMAND, "stats", trace.name], cwd=trace.parent, capture_output=True, text=True,
                                  check=True).stdout.split("\n")
            samples = int(said[1].split(", ")[1].split(" samples")[0].replace(",", ""))
            program = os.path.basename(said[0].split(": ")[1])
            if program in samples_of:
                self.assertGreater(samples, 0)
            programs[str(trace.relative_to(self.folder))] = program
            trace.unlink()
        return programs

    def test_children_are_not_traced(self):
        (self.folder / "below").mkdir()
        for shell in SHELLS:
            for script in ("ls > list; exit 3", "cd below; ls > ../list; ls > list; exit 3", "(ls); ls & wait; exit 3",
                           "sh -c 'ls; exec ls' > list; exit 3"):
                with self.subTest(shell=shell, script=script):
                    self.run_traced(shell, "x=$(printf %0999d 0); " + script)
                    self.assertEqual(self.traced(("bash",)), {"t.ctf": os.path.basename(os.path.realpath(shell))})

    def test_the_program_in_its_place_is(self):
        (self.folder / "below").mkdir()
        path = os.path.realpath("/usr/bin/python3")
        python, name = f"exec {path} -c 'import sys; sys.exit(3)'", os.path.basename(path)
        for shell in SHELLS:
            for script in (python, f"ls; {python}", f"cd below; ls; {python}", f"exec sh -c \"{python}\"",
                           f"exec env {python.removeprefix('exec ')}"):
                with self.subTest(shell=shell, script=script):
                    self.run_traced(shell, script)
                    self.assertEqual(self.traced((name,)), {"t.ctf": name})

    def test_what_they_see(self):
        for shell in SHELLS:
            with self.subTest(shell):
                self.assertEqual(self.run_traced(shell, "echo \"${MEMTRACE-none}\"; env | grep -c ^MEMTRACE=; exit 3"),
                                 "none\n0\n")
                self.run_traced(shell, "exec env MEMTRACE=other.ctf sh -c 'ls; exit 3'")
                sh = os.path.basename(os.path.realpath("/bin/sh"))
                found = self.traced()
                self.assertEqual(found.pop("other.ctf"), sh)
                self.assertEqual(list(found), ["t.ctf"])

    def test_a_file_for_each_process(self):
        for shell in SHELLS:
            with self.subTest(shell):
                self.run_traced(shell, "sh -c 'ls > list; exit 0'; exit 3", file="t.%p.ctf")
                names = [os.path.basename(os.path.realpath(program)) for program in (shell, "/bin/sh", "/bin/ls")]
                self.assertEqual(sorted(self.traced(("ls",)).values()), sorted(names))


if __name__ == "__main__":
    unittest.main()
