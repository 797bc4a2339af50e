# SPDX-License-Identifier: MIT
"""`memprof record` as a job of an interactive shell: stopped, continued, interrupted, in the background."""

import os
import pty
import select
import shutil
import tempfile
import time
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.environ["PS1"] = "READY> "
            os.execvp("bash", ["bash", "--norc", "-i"])
        self.seen = b""
        self.wait_for(b"READY> ")

    def close(self):
        os.close(self.descriptor)
        os.waitpid(self.process, 0)

    def type(self, text):
        os.write(self.descriptor, text)

    def wait_for(self, text):
        end = time.monotonic() + 60
        while text not in self.seen:
            if not select.select([self.descriptor], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no {text} in {self.seen}")
            self.seen += os.read(self.descriptor, 4096)
        before, _, self.seen = self.seen.partition(text)
        return before


@unittest.skipUnless(shutil.which("bash"), "no bash")
class JobControl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.terminal = Terminal()
        self.addCleanup(self.terminal.close)
        # In two parts, so that the shell's echo is not what is waited for.
        self.prefix = f"{COMMAND} record -f -o {folder.name}/a.ctf -- sh -c".encode()

    def check_status(self, status):
        self.terminal.wait_for(b"READY> ")
        self.terminal.type(b"echo status $?\n")
        self.terminal.wait_for(b"status %d\r" % status)

    def test_stopped_by_the_terminal_and_continued_by_the_shell(self):
        self.terminal.type(self.prefix + b""" 'echo be""gun; sleep 1; echo do""ne; exit 4'\n""")
        self.terminal.wait_for(b"begun\r")
        time.sleep(0.2)
        self.terminal.type(b"\x1a")
        self.terminal.wait_for(b"Stopped")
        self.terminal.wait_for(b"READY> ")
        self.terminal.type(b"fg\n")
        self.terminal.wait_for(b"done\r")
        self.check_status(4)

    def test_interrupted(self):
        self.terminal.type(self.prefix + b""" 'echo be""gun; sleep 100'\n""")
        self.terminal.wait_for(b"begun\r")
        time.sleep(0.2)
        self.terminal.type(b"\x03")
        self.terminal.wait_for(b"samples")
        self.check_status(130)

    def test_in_the_background_it_waits_for_the_terminal(self):
        self.terminal.type(self.prefix + b""" 'read x; echo "got" "$x"' &\n""")
        self.terminal.wait_for(b"READY> ")
        time.sleep(1)
        self.terminal.type(b"\n")
        self.terminal.wait_for(b"Stopped")
        self.terminal.type(b"fg\n")
        time.sleep(0.2)
        self.terminal.type(b"this\n")
        self.terminal.wait_for(b"got this\r")
        self.check_status(0)


if __name__ == "__main__":
    unittest.main()
