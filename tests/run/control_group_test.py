# SPDX-License-Identifier: MIT
"""`memprof run --cgroup`: what the kernel does at the limit comes after our report."""

import pathlib
import unittest

from limited import Limited, compile_leak


def setUpModule():
    global leak
    leak = compile_leak()


def left_over():
    return [str(p) for p in pathlib.Path("/sys/fs/cgroup").rglob("memprof-*") if p.is_dir() and "test" not in p.name]


class ControlGroup(Limited):
    def limited(self, *arguments, program):
        result = self.run_limited("--cgroup", *arguments, program=program)
        if "no control group can be made" in result.stderr:
            self.assertEqual(result.returncode, 1)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.skipTest("no control groups of ours here")
        return result

    def test_a_kill_by_the_kernel_comes_after_the_report(self):
        result = self.limited("--memory", "60MiB", program=[leak, 200, 1000])
        self.assertEqual(result.returncode, 137, result.stderr)
        soft, at_limit, killed = self.reports()
        self.assert_report(soft, "grow", "in its control group: over the soft limit of 48.0 MiB")
        self.assert_report(at_limit, "grow", "in its control group: (at|over) the limit of 60.0 MiB$")
        self.assert_report(killed, "grow", "by malloc: it was ended by the kernel, for lack of memory in its control group$")
        self.assertLess(self.seconds_of(at_limit), self.seconds_of(killed))
        self.assertLess(result.stderr.index("the limit of 60.0 MiB\n"), result.stderr.index("was ended by signal 9"))

    def test_term_at_the_limit_of_the_group(self):
        result = self.limited("--memory", "60MiB", "--on-limit", "term", program=[leak, 200, 1000])
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertRegex(result.stderr, "was ended by signal 15 ")

    def test_a_program_under_the_limit_and_what_is_left_behind(self):
        before = left_over()
        result = self.limited("--memory", "200MiB", program=[leak, 20, 10])
        self.assertEqual((result.returncode, result.stderr), (5, ""))
        self.assertEqual(left_over(), before)

    def test_one_or_the_other(self):
        result = self.run_limited("--cgroup", "--resident", "--memory", "1GiB", program=["true"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("--cgroup", result.stderr)


if __name__ == "__main__":
    unittest.main()
