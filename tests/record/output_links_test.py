# SPDX-License-Identifier: MIT
"""A recorded program may write where its traces and reports go: links that it puts there are not followed, and what
it cannot read it does not get to read. It knows the names: the recorder's id is in its environment."""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
# Puts links where files of the next processes and the reports of this one will be.
PROGRAM = r"""
import os, sys, subprocess
recorder = os.environ["MEMPROF_RECORDER"].split(":")[0]
own = os.getpid()
names = [f"x.{n}.ctf.{recorder}.part" for n in range(own + 1, own + 200)]
names += [f"r.{n}.{ending}" for n in range(1, 5) for ending in ("txt", "txt.part", "pb.gz", "pb.gz.part")]
for name in names:
    os.symlink("victim", name)
if sys.argv[1:] == ["grows"]:
    held = [bytes(1000) for i in range(60000)]
else:
    for i in range(3):
        subprocess.run([sys.executable, "-c", "x = [bytes(1000) for i in range(20000)]"], check=True)
"""


class OutputLinks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        self.victim = self.here / "victim"
        self.victim.write_text("precious\n", encoding="utf-8")
        (self.here / "program.py").write_text(PROGRAM, encoding="utf-8")

    def run_memprof(self, *arguments, **settings):
        return subprocess.run([COMMAND, *map(str, arguments)], cwd=self.here, text=True, errors="replace", capture_output=True,
                              timeout=100, **settings)

    def assert_victim_is_whole(self, said):
        self.assertEqual(self.victim.read_text(encoding="utf-8"), "precious\n", said)
        self.assertFalse(self.victim.is_symlink())

    def test_traces_of_children(self):
        result = self.run_memprof("record", "--children", "-o", "x.%p.ctf", "--", sys.executable, "program.py")
        self.assert_victim_is_whole(result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"cannot open trace file .*\.part: File exists")
        traces = [f for f in self.here.glob("x.*.ctf") if not f.is_symlink()]
        self.assertGreaterEqual(len(traces), 1, result.stderr)  # that of the program
        for trace in traces:
            self.assertEqual(stat.S_IMODE(trace.stat().st_mode), 0o600)

    def test_reports(self):
        result = self.run_memprof("run", "--memory", "16MiB", "--output", "r", "--", sys.executable, "program.py", "grows")
        self.assert_victim_is_whole(result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("cannot write r.1.txt: File exists", result.stderr)
        self.assertIn("no profile: cannot write r.1.pb.gz: File exists", result.stderr)
        # A link of the final name alone is replaced.
        for link in self.here.glob("r.*.part"):
            link.unlink()
        (self.here / "program.py").write_text("held = [bytes(1000) for i in range(60000)]\n", encoding="utf-8")
        result = self.run_memprof("run", "--memory", "16MiB", "--output", "r", "--", sys.executable, "program.py")
        self.assert_victim_is_whole(result.stderr)
        for name in ("r.1.txt", "r.1.pb.gz"):
            self.assertEqual(stat.S_IMODE((self.here / name).lstat().st_mode), 0o600)
            self.assertTrue(stat.S_ISREG((self.here / name).lstat().st_mode), result.stderr)

    def test_what_a_killed_run_left_is_replaced(self):
        for name in ("r.1.txt.part", "r.1.pb.gz.part"):
            (self.here / name).write_text("old", encoding="utf-8")
        (self.here / "program.py").write_text("held = [bytes(1000) for i in range(60000)]\n", encoding="utf-8")
        result = self.run_memprof("run", "--memory", "16MiB", "--output", "r", "--", sys.executable, "program.py")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.here / "r.1.txt").exists(), result.stderr)
        self.assertEqual(list(self.here.glob("*.part")), [])

    @unittest.skipIf(os.geteuid() != 0, "only root can make links of another user")
    def test_a_link_of_another_user_has_the_final_name(self):
        link = self.here / "t.ctf"
        link.symlink_to("victim")
        os.chown(link, 65534, 65534, follow_symlinks=False)
        result = self.run_memprof("record", "--force", "-o", "t.ctf", "--", "true")
        self.assert_victim_is_whole(result.stderr)
        link.unlink(missing_ok=True)
        self.run_memprof("record", "-o", "u.ctf", "--", "ls")
        for name in ("t.ctf", "v"):
            (self.here / name).unlink(missing_ok=True)
        link.symlink_to("victim")
        os.chown(link, 65534, 65534, follow_symlinks=False)
        result = self.run_memprof("convert", "--to", "memtrace", "--force", "-o", "t.ctf", "u.ctf")
        self.assert_victim_is_whole(result.stderr)
        self.assertIn("Too many levels of symbolic links", result.stderr)
        result = self.run_memprof("record", "--rate", "1", "-o", "w.ctf", "--", "env", f"MEMTRACE={link}", "true")
        self.assert_victim_is_whole(result.stderr)

    def test_pipes_and_devices(self):
        for name in ("/dev/null", "/dev/stdout"):
            result = self.run_memprof("record", "-o", name, "--", "ls", "/")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("cannot", result.stderr)


if __name__ == "__main__":
    unittest.main()
