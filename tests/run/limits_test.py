# SPDX-License-Identifier: MIT
"""`memprof run`: the reports at its limits, what each action does, and exit statuses."""

import re
import os
import signal
import subprocess
import time
import unittest

from limited import COMMAND, Limited, compile_leak


def setUpModule():
    global leak
    leak = compile_leak()


def state_of(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as f:
        return f.read().rpartition(")")[2].split()[0]


class Limits(Limited):
    def test_soft_and_then_hard(self):
        result = self.run_limited("--memory", "40MiB", program=[leak, 50, 200])
        self.assertEqual(result.returncode, 5, result.stderr)  # the program's own
        soft, hard = self.reports(2)
        self.assert_report(soft, "grow", r"that leak \(\d+\) has by malloc: over the soft limit of 32.0 MiB, for a limit of 40.0 MiB$")
        self.assert_report(hard, "grow", r": over the limit of 40.0 MiB$")
        self.assertIn(soft, result.stderr)
        self.assertIn(hard, result.stderr)
        self.assertRegex(hard, r"grow \(leak\.c:\d+\) < serve < main")
        # It was surely over: by 5 % to 30 % here, where S is 8 KB and the standard deviation 1.4 %.
        value = float(re.search(r"in use by malloc ([\d.]+) MiB", hard)[1])
        self.assertTrue(40 < value < 52, hard)

    def test_under_the_limit_nothing_is_said(self):
        result = self.run_limited("--memory", "64MiB", program=[leak, 40, 10])
        self.assertEqual((result.returncode, result.stderr, result.stdout), (5, "", "done\n"))
        self.assertEqual(self.reports(), [])

    def test_the_profile_is_for_pprof(self):
        self.run_limited("--memory", "16MiB", program=[leak, 24, 10])
        profiles = sorted(self.here.glob("memprof.leak.*.pb.gz"))
        self.assertGreaterEqual(len(profiles), 1)
        raw = subprocess.run(["gzip", "-dc", profiles[-1]], capture_output=True, check=True).stdout
        for name in (b"grow", b"serve", b"inuse_space", b"leak.c"):
            self.assertIn(name, raw)

    def test_term(self):
        result = self.run_limited("--memory", "16MiB", "--on-limit", "term", program=[leak, 32, 50, "wait"])
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertRegex(result.stderr, r"the limit ends \d+ by SIGTERM\n")
        self.assertRegex(result.stderr, r"leak was ended by signal 15 ")
        self.assert_report(self.reports()[-1], "grow", "over the limit of 16.0 MiB$")

    def test_a_program_that_ignores_term_is_killed(self):
        result = self.run_limited("--memory", "16MiB", "--on-limit", "term", "--grace", "0.3",
                                  program=[leak, 64, 3000, "ignores TERM"])
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertIn("it has not ended 0.3 s after that: SIGKILL", result.stderr)
        self.assertRegex(result.stderr, r"leak was ended by signal 9 ")

    def test_abort(self):
        result = self.run_limited("--memory", "16MiB", "--on-limit", "abort", program=[leak, 32, 50, "wait"])
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertRegex(result.stderr, r"leak was ended by signal 6 ")

    def test_pause(self):
        with subprocess.Popen([COMMAND, "run", "--memory", "16MiB", "--on-limit", "pause", "--", leak, "22", "600"],
                              cwd=self.here, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            lines = []
            for line in run.stderr:
                lines.append(line)
                if "is stopped" in line:
                    break
            process = int(re.search(r"`kill -CONT (\d+)`", lines[-1])[1])
            until = time.time() + 30
            while time.time() < until and (state_of(process), state_of(run.pid)) != ("T", "T"):
                time.sleep(0.01)
            self.assertEqual((state_of(process), state_of(run.pid)), ("T", "T"))
            self.assert_report(self.reports()[-1], "grow", "over the limit")  # it is whole by then
            os.kill(process, signal.SIGCONT)
            self.assertEqual(run.stdout.read(), "done\n")
            run.stderr.close()
        self.assertEqual(run.returncode, 5)

    def test_a_report_by_signal(self):
        with subprocess.Popen([COMMAND, "run", "--memory", "1GiB", "--rate", "1e-3", "--", leak, "8", "1", "wait"],
                              cwd=self.here, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            self.assertEqual(run.stdout.readline(), "done\n")
            for number in (1, 2):
                run.send_signal(signal.SIGUSR2)
                while not run.stderr.readline().startswith("profile: "):
                    pass
                self.assertEqual(len(self.reports()), number)
                self.assertRegex(self.reports()[-1], r"\nprofile: pprof -top memprof\.leak\.\d+\.\d\.pb\.gz\n$")
            run.terminate()
            run.communicate(timeout=30)
        self.assertEqual(len(self.reports()), 2)
        self.assertEqual(run.returncode, 128 + 15)  # by the user, not by the limit
        self.assert_report(self.reports()[0], "grow", "asked for by SIGUSR2$")

    def test_a_program_gets_the_signal_that_it_handles(self):
        with subprocess.Popen([COMMAND, "run", "--memory", "1GiB", "--", leak, "1", "1", "handles USR2"],
                              cwd=self.here, stdout=subprocess.DEVNULL) as run:
            run.wait(timeout=30)
        with subprocess.Popen([COMMAND, "run", "--memory", "1GiB", "--", leak, "4000", "60000", "handles USR2"],
                              cwd=self.here, stderr=subprocess.PIPE, text=True) as run:
            time.sleep(0.5)
            run.send_signal(signal.SIGUSR2)
            errors = run.communicate(timeout=30)[1]
        self.assertEqual((run.returncode, errors), (signal.SIGUSR2, ""))
        self.assertEqual(self.reports(), [])

    def test_children_count_together(self):
        result = self.run_limited("--memory", "40MiB", "--on-limit", "term", program=[leak, 40, 300, "fork"])
        self.assertEqual(result.returncode, 124, result.stderr)
        text = self.reports()[-1]
        self.assert_report(text, "grow", r"that leak \(\d+\) and 1 other process have by malloc: over the limit")
        self.assertRegex(text, r"\nprocesses: leak \(\d+\) [\d.]+ MiB, leak \(\d+\) [\d.]+ MiB\n")

    def test_resident_memory(self):
        result = self.run_limited("--memory", "30MiB", "--resident", "--on-limit", "term",
                                  program=[leak, 200, 3000, "wait"])
        self.assertEqual(result.returncode, 124, result.stderr)
        text = self.reports()[-1]
        resident = float(re.search(r" has by malloc; ([\d.]+) MiB resident: over the limit of 30.0 MiB\n", text)[1])
        self.assertTrue(30 <= resident < 60, text)


if __name__ == "__main__":
    unittest.main()
