# SPDX-License-Identifier: MIT
"""Programs that run, and recorders that attach to them."""

import os
import signal
import subprocess
import threading

COMMAND = os.environ["MEMPROF_COMMAND"]
PRELOAD = os.environ["MEMPROF_PRELOAD"]


class Program:
    """A running one. `usual` is run if nothing else is said; a test module sets it."""

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
