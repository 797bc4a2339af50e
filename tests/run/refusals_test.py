# SPDX-License-Identifier: MIT
"""What `memprof run` refuses, in one sentence each."""

import os
import pathlib
import shutil
import subprocess
import unittest

from limited import COMMAND, Limited


class Refusals(Limited):
    def refused(self, status, sentence, *arguments):
        result = subprocess.run([COMMAND, "run", *arguments], cwd=self.here, text=True, capture_output=True, timeout=30)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertRegex(result.stderr, sentence)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertEqual(list(self.here.iterdir()), [])

    def test_options(self):
        ok = ("--memory", "1GiB")
        for sentence, arguments in (
                (r"--memory.* is required", ()),
                (r"'much' is not a number", ("--memory", "much")),
                (r"--memory: '10' ", ("--memory", "10")),  # of what?
                (r"--memory: 10kw is less than 1 MiB", ("--memory", "10kw")),
                (r"--on-limit: explode not in", (*ok, "--on-limit", "explode")),
                (r"--soft: 1.5 is not in \(0, 1\]", (*ok, "--soft", "1.5")),
                (r"--soft: 0 is not in", (*ok, "--soft", "0")),
                (r"--grace: '1h' is not a number", (*ok, "--grace", "1h")),
                (r"--rate: 2 is not in", (*ok, "--rate", "2")),
                (r"which program\?", ok)):
            with self.subTest(arguments):
                self.refused(2, sentence, *arguments, *(("--", "true") if arguments != ok else ()))

    def test_programs(self):
        run = ("--memory", "1GiB", "--")
        self.refused(127, r"^memprof: no-such-program: there is no such program$", *run, "no-such-program")
        source = self.here.with_suffix(".c")
        static = self.here.with_suffix(".static")
        source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        self.addCleanup(source.unlink)
        subprocess.run([os.environ.get("CC", "cc"), "-static", source, "-o", static], check=True)
        self.addCleanup(static.unlink)
        self.refused(126, rf"{static} cannot be limited: it is statically linked", *run, static)
        text = self.here.with_suffix(".data")
        text.write_text("no program\n", encoding="utf-8")
        self.addCleanup(text.unlink)
        self.refused(126, r"cannot be run: Permission denied$", *run, text)

    def test_setuid(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        program = self.here.with_suffix(".setuid")
        shutil.copy(shutil.which("true"), program)
        self.addCleanup(program.unlink)
        os.chown(program, 12345, 12345)
        program.chmod(0o4755)
        self.refused(126, r"cannot be limited: it runs with other rights than yours", "--memory", "1GiB", "--", program)

    def test_a_folder_that_cannot_be_written(self):
        result = self.run_limited("--memory", "16MiB", "--output", "/no/such/folder/x",
                                  program=["python3", "-c", "x = [bytes(1000) for i in range(40000)]"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("over the limit of 16.0 MiB", result.stderr)  # the report is there all the same
        self.assertIn("no profile: cannot write /no/such/folder/x.1.pb.gz", result.stderr)
        self.assertIn("cannot write /no/such/folder/x.1.txt", result.stderr)

    def test_a_profile_that_cannot_be_written(self):
        (self.here / "x.1.pb.gz").mkdir()
        result = self.run_limited("--memory", "16MiB", "--soft", "1", "--output", "x",
                                  program=["python3", "-c", "x = [bytes(1000) for i in range(40000)]"])
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.here / "x.1.txt").read_text(encoding="utf-8")  # the text is there all the same
        self.assertRegex(text, r"\nno profile: cannot write x\.1\.pb\.gz: [^\n]+\n$")


if __name__ == "__main__":
    unittest.main()
