# SPDX-License-Identifier: MIT
"""`memprof run` where the kernel is about to kill: in a control group of somebody else's, and by the stalls that it
counts (PSI). Each is skipped where this machine allows no group, or counts no stalls."""

import os
import pathlib
import re
import subprocess
import time
import unittest

from limited import COMMAND, Limited, compile_leak

ROOT = pathlib.Path("/sys/fs/cgroup")
# Reads its file again and again, as far as it does not fit; ends after argv[2] seconds.
THRASH = r"""
import mmap, os, sys, time
kept = [bytes(1 << 20) for i in range(8)]
end = time.time() + float(sys.argv[2])
with open(sys.argv[1], "rb") as f:
    pages = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
    while time.time() < end:
        for at in range(0, len(pages), 4096):
            pages[at]
"""


def setUpModule():
    global leak
    leak = compile_leak()


def own_group():
    """The folder of our memory controller, and the file of its limit."""
    for line in pathlib.Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            return ROOT / "memory" / path.lstrip("/"), "memory.limit_in_bytes"
        if controllers == "" and (ROOT / path.lstrip("/") / "memory.max").exists():
            return ROOT / path.lstrip("/"), "memory.max"
    return None, None


class Group:
    """A group around `memprof run`, until the end of the `with`."""

    def __init__(self, test, limit):
        parent, self.limit = own_group()
        if parent is None:
            test.skipTest("no control group of memory is seen here")
        self.folder = parent / f"memprof-test-{os.getpid()}"
        try:
            self.folder.mkdir()
        except OSError as error:
            test.skipTest(f"no control groups of ours here: {error}")
        test.addCleanup(self.remove)
        if not (self.folder / self.limit).exists():
            test.skipTest("groups of ours have no memory controller here")
        (self.folder / self.limit).write_text(str(limit), encoding="utf-8")

    def remove(self):
        for _ in range(200):
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.01)

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()), encoding="utf-8")


def may_mount():
    return subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode == 0


def available_share():
    """Of the machine's memory."""
    kilobytes = dict(re.findall(r"^(\w+): +(\d+) kB$", pathlib.Path("/proc/meminfo").read_text(encoding="utf-8"), re.M))
    return int(kilobytes["MemAvailable"]) / int(kilobytes["MemTotal"])


class Pressure(Limited):
    def test_the_report_comes_before_the_kernel_kills(self):
        group = Group(self, 100 << 20)
        result = self.run_limited("--memory", "1GiB", program=[leak, 400, 4000], preexec_fn=group.enter)
        self.assertEqual(result.returncode, 137, result.stderr)
        near, killed = self.reports(2)
        self.assert_report(near, "grow", rf"its control group \S+{group.folder.name} has 9\d\.\d MiB of at most 100 MiB$")
        self.assert_report(killed, "grow", "it was ended by the kernel, for lack of memory in its control group$")
        self.assertLess(self.seconds_of(near), self.seconds_of(killed))
        self.assertLess(result.stderr.index("of at most 100 MiB\n"), result.stderr.index("was ended by the kernel"))

    def test_somebody_else_was_killed(self):
        """The machine has killed another process meanwhile: who ended by itself was not killed."""
        for program in ([leak, 20, 1500], ["sh", "-c", f"{leak} 20 1000; exit 5"]):
            with self.subTest(str(program)):
                command = [COMMAND, "run", "--memory", "1GiB", "--", *map(str, program)]
                with subprocess.Popen(command, cwd=self.here, text=True, stderr=subprocess.PIPE) as run:
                    time.sleep(0.3)
                    group = Group(self, 50 << 20)
                    other = subprocess.run([leak, "200", "0"], check=False, preexec_fn=group.enter)
                    self.assertIsNone(run.poll())
                    _, text = run.communicate(timeout=60)
                self.assertEqual((other.returncode, run.returncode, text), (-9, 5, ""))

    def test_a_child_that_was_killed(self):
        group = Group(self, 100 << 20)
        result = self.run_limited("--memory", "1GiB", program=["sh", "-c", f"{leak} 400 4000; exit 0"],
                                  preexec_fn=group.enter)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_report(self.reports()[-1], "grow", "it was ended by the kernel, for lack of memory in its control group$")

    def test_a_group_with_room_says_nothing(self):
        group = Group(self, 200 << 20)
        result = self.run_limited("--memory", "1GiB", program=[leak, 60, 100], preexec_fn=group.enter)
        self.assertEqual((result.returncode, result.stderr), (5, ""))

    def test_stalls(self):
        try:
            with open("/proc/pressure/memory", "r+b", buffering=0) as f:
                f.write(b"some 200000 2000000\0")
        except OSError as error:
            self.skipTest(f"this kernel counts no stalls: {error}")
        if not may_mount():
            self.skipTest("no mount namespaces here")
        group = Group(self, 40 << 20)
        data = self.here / "data"
        with open(data, "wb") as f:
            f.write(os.urandom(1 << 20) * 120)
            f.flush()
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # its pages are to be the group's
        little = self.here / "meminfo"
        little.write_text("MemTotal: 24683600 kB\nMemAvailable: 135168 kB\n", encoding="utf-8")
        with subprocess.Popen(["python3", "-c", THRASH, data, "60"], preexec_fn=group.enter) as other:
            try:
                # One group alone waits, and the machine has enough: nobody else is about to be killed.
                if available_share() > 0.25:
                    result = self.run_limited("--memory", "1GiB", "--rate", "1e-3", program=[leak, 20, 4000])
                    self.assertEqual((result.returncode, result.stderr), (5, ""))
                script = (f"mount --bind {little} /proc/meminfo && "
                          f"exec {COMMAND} run --memory 1GiB --rate 1e-3 -- {leak} 20 8000")
                result = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=self.here, text=True,
                                        capture_output=True, timeout=120)
            finally:
                other.kill()
        self.assertEqual(result.returncode, 5, result.stderr)
        reports = self.reports()
        if not reports:
            self.skipTest("this machine reads so fast that nothing waited for a tenth of the time")
        self.assert_report(reports[0], "grow", "the machine is short of memory: programs waited for it a tenth of the time"
                           r"; 132 MiB of 23.5 GiB are available$")
        self.assertGreater(self.seconds_of(reports[0]), 1.9)  # the kernel's window is not the time before the program
        self.assertEqual(len(reports), 1)  # one a minute at most

    def test_the_command_needs_no_stalls(self):
        # What cannot be opened is named, and nothing is lost.
        if os.geteuid() != 0:
            self.skipTest("needs root")
        if not may_mount():
            self.skipTest("no mount namespaces here")
        script = f"mount -t tmpfs none /proc/pressure && exec {COMMAND} run --memory 16MiB -- {leak} 24 10"
        result = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=self.here, text=True, capture_output=True,
                                timeout=60)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assert_report(self.reports()[-1], "grow", "over the limit of 16.0 MiB$")
        self.assertIn("\nnot watched: no stalls: /proc/pressure/memory: No such file or directory\n", self.reports()[-1])


if __name__ == "__main__":
    unittest.main()
