# SPDX-License-Identifier: MIT
"""Programs that run, recorders that attach to them, and a test case with both."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from compiled import PLAIN

COMMAND = os.environ["MEMPROF_COMMAND"]
PRELOAD = os.environ["MEMPROF_PRELOAD"]


class Program:
    """A running one. `usual` is run if nothing else is said; AttachCase sets it."""

    usual = None

    def __init__(self, test, what=None, preloaded=True, prefix=(), **environment):
        settings = {**os.environ, **environment}
        if preloaded:
            settings["LD_PRELOAD"] = PRELOAD
        self.process = subprocess.Popen([*prefix, what or self.usual], cwd=test.here, env=settings, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for pipe in (self.process.stdin, self.process.stdout):
            test.addCleanup(pipe.close)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.tell(line)
        return int(self.process.stdout.readline())


class Recorder:
    """memprof record --pid, and what it says."""

    def __init__(self, test, pid, *options, prefix=(), rate="1"):
        self.process = subprocess.Popen(
            [*prefix, COMMAND, "record", "--rate", rate, "-f", *(() if "-o" in options else ("-o", "a.ctf")),
             "--pid", str(pid), *options],
            cwd=test.here, text=True, stderr=subprocess.PIPE)
        self.said = ""
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        test.addCleanup(self.reader.join)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)

    def read(self):
        with self.process.stderr as lines:
            for line in lines:
                with self.changed:
                    self.said += line
                    self.changed.notify_all()

    def heard(self, text, seconds):
        with self.changed:
            return self.changed.wait_for(lambda: text in self.said, seconds)

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.status()

    def status(self):
        status = self.process.wait(60)
        self.reader.join()
        return status


class AttachCase(unittest.TestCase):
    """Has the program of attached.cpp, and a folder for each test."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="memprof-attach-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.folder.chmod(0o755)
        Program.usual = cls.built("program")

    @classmethod
    def built(cls, name, *options):
        here = pathlib.Path(__file__).resolve().parent
        subprocess.run([os.environ["CXX"], "-std=c++23", "-g", "-O1", *PLAIN, f"-I{here.parents[1] / 'include'}",
                        str(here / "attached.cpp"), "-pthread", "-o", str(cls.folder / name), *options], check=True)
        return str(cls.folder / name)

    @classmethod
    def linked(cls):
        """The same program, linked with memprof::memprof."""
        program = cls.folder / "linked"
        if not program.exists():
            cls.built("linked", "-DMEMPROF_LINKED", *os.environ["MEMPROF_LINKED"].split())
        return str(program)

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def attach(self, to, *options, warm=True, **how):
        """A recorder that has attached. Only a program that allocates answers."""
        recorder = Recorder(self, to.pid, *options, **how)
        for _ in range(200):
            if recorder.heard("is recorded", 0.05):
                return recorder
            if warm:
                to.ask("warm 16")
        self.fail(f"{to.pid} did not answer: {recorder.said}")

    def samples_of(self, function, trace="a.ctf", what="allocated"):
        report = json.loads(subprocess.run(
            [COMMAND, "top", "--json", "-n", "0", str(self.here / trace)], text=True, capture_output=True,
            check=True).stdout)
        return sum(row["self"][what]["samples"] for row in report["rows"] if function in row["name"])

    def notes(self, trace="a.ctf"):
        return json.loads(subprocess.run([COMMAND, "identify", "--json", str(self.here / trace)], text=True,
                                         capture_output=True, check=True).stdout)["notes"]

    def refused(self, pid, *options, prefix=(), status=1):
        result = subprocess.run([*prefix, COMMAND, "record", "--pid", str(pid), "-o", "b.ctf", *options],
                                cwd=self.here, text=True, capture_output=True, timeout=60)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertFalse(list(self.here.glob("b.ctf*")))
        return result.stderr

    def end_work(self, p):
        """Its five threads let go of the memory, each at its next event; then they end."""
        for _ in range(200):
            if p.ask("state") == 500:
                break
            time.sleep(0.05)
        self.assertEqual(p.ask("state"), 500)
        p.ask("rest")
