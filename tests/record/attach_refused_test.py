# SPDX-License-Identifier: MIT
"""memprof record --pid: programs that cannot be attached to, and those of other users and namespaces."""

import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

from attaching import COMMAND, AttachCase, Program, Recorder


class Refused(AttachCase):
    def test_what_cannot_be_attached_to(self):
        plain = Program(self, preloaded=False)
        self.assertRegex(self.refused(plain.pid), "has no memprof in it, .* start it with `memprof record`")
        self.assertIn(f"is a thread of process {os.getpid()}", self.of_thread())
        zombie = Program(self).ask("zombie")
        self.assertIn(f"{zombie} has ended", self.refused(zombie))
        self.assertIn("there is no such process", self.refused(2**22 + 1))
        if pathlib.Path("/proc/2/comm").exists() and not pathlib.Path("/proc/2/maps").read_bytes():
            self.assertIn("2 is a thread of the kernel", self.refused(2))
        for text in ("0", "-1", "1.5", "1e99", "memprof", ""):
            with self.subTest(text):
                result = subprocess.run([COMMAND, "record", f"--pid={text}"], text=True, capture_output=True)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("--pid", result.stderr)
        for options in (["--pid", "1", "--", "true"], ["--duration", "3", "--", "true"],
                        ["--pid", "1", "--duration", "0"]):
            with self.subTest(options):
                result = subprocess.run([COMMAND, "record", *options], text=True, capture_output=True)
                self.assertEqual(result.returncode, 2, result.stderr)

    def of_thread(self):
        ready, done, seen = threading.Event(), threading.Event(), []

        def wait():
            seen.append(threading.get_native_id())
            ready.set()
            done.wait()

        thread = threading.Thread(target=wait)
        thread.start()
        ready.wait()
        try:
            return self.refused(seen[0])
        finally:
            done.set()
            thread.join()

    def test_a_filter_of_system_calls(self):
        p = Program(self)
        p.tell("filter")  # which lets it read and write
        time.sleep(0.3)
        self.assertRegex(self.refused(p.pid), "seccomp.*--force")

    def test_a_program_without_a_free_descriptor(self):
        p = Program(self)
        p.ask("no-descriptors")
        recorder = Recorder(self, p.pid)
        for _ in range(200):
            if recorder.heard("could not make the memory", 0.05):
                break
            p.ask("warm 16")
        self.assertEqual(recorder.status(), 1)
        self.assertIn("Too many open files", recorder.said)
        p.ask("many 10")
        self.assertEqual(list(self.here.iterdir()), [])

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_other_users(self):
        self.here.chmod(0o777)
        other = ("setpriv", "--reuid=12345", "--regid=12345", "--clear-groups")
        mine = Program(self)
        self.assertRegex(self.refused(mine.pid, prefix=other), "may not be attached to, because it belongs to user 0.*"
                                                               "CAP_SYS_PTRACE")
        theirs = Program(self, prefix=other)
        recorder = self.attach(theirs)  # root's, of which that program may open nothing
        theirs.ask("many 1000")
        self.assertEqual(recorder.end(), 0, recorder.said)
        self.assertEqual(self.samples_of("small"), 6000)
        scope = pathlib.Path("/proc/sys/kernel/yama/ptrace_scope")
        if not scope.exists() or scope.read_text() == "0\n":
            recorder = self.attach(theirs, prefix=other)
            theirs.ask("many 1000")
            self.assertEqual(recorder.end(), 0, recorder.said)
            self.assertEqual(self.samples_of("small"), 6000)
        else:
            self.assertIn("kernel.yama.ptrace_scope is", self.refused(theirs.pid, prefix=other))

    @unittest.skipUnless(os.geteuid() == 0, "only root can make namespaces")
    def test_a_program_in_a_container(self):
        # Its process 1, which sees neither us nor the recorder.
        inside = Program(self, prefix=("unshare", "--pid", "--fork", "--mount-proc", "--kill-child"))
        children = pathlib.Path(f"/proc/{inside.pid}/task/{inside.pid}/children").read_text().split()
        inside.pid = int(children[0])
        recorder = self.attach(inside)
        inside.ask("many 1000")
        self.assertEqual(inside.ask("fork"), 1)
        self.assertEqual(recorder.end(), 0, recorder.said)
        self.assertEqual(self.samples_of("small"), 6000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + (sys.argv[1:] or ["-v"]))
