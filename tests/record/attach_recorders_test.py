# SPDX-License-Identifier: MIT
"""memprof record --pid: recorders that wait, are killed, or find that the program is traced already."""

import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

from attaching import COMMAND, AttachCase, Program, Recorder


class Recorders(AttachCase):
    def test_recorders_that_come_and_go_among_threads_and_forks(self):
        p = Program(self)
        p.ask("work")
        chance = random.Random(20)
        attached = killed = 0
        begin = time.monotonic()
        while attached < 8 or killed < 4:
            self.assertLess(time.monotonic() - begin, 120)
            recorder = Recorder(self, p.pid, "-o", f"{attached}.%p.ctf", "--no-symbols", "--duration",
                                chance.choice(("0.02", "0.1")), *chance.choice(([], ["--children"])),
                                rate=chance.choice(("1", "1e-2", "1e-4")))
            p.ask(chance.choice(("fork", "raw-fork", "rounds")))
            if chance.random() < 0.3:
                time.sleep(chance.random() * 0.2)
                recorder.end(signal.SIGKILL)
                killed += 1
            else:
                self.assertEqual(recorder.status(), 0, recorder.said)
                attached += 1
        # The last one may have been killed with a low rate: nobody notices that before the next.
        self.attach(p, "--duration", "0.01", warm=False).status()
        self.end_work(p)

    def test_a_recorder_that_is_killed(self):
        p = Program(self)
        self.attach(p).end(signal.SIGKILL)
        begin = time.monotonic()
        p.ask("many 300000")  # five times the ring
        self.assertLess(time.monotonic() - begin, 20)  # a second, on a quiet machine
        recorder = self.attach(p)  # although the program has not noticed
        p.ask("many 1000")
        self.assertEqual(recorder.end(), 0)
        self.assertEqual(self.samples_of("small"), 6000)
        self.attach(p).end(signal.SIGKILL)
        p.ask("many 200000")
        time.sleep(4)
        p.ask("many 10")
        p.ask("warm 16")
        self.assertEqual(p.ask("state"), 100)  # it has

    def test_a_recorder_that_is_killed_while_it_waits(self):
        p = Program(self)
        recorder = Recorder(self, p.pid)
        self.assertTrue(recorder.heard("still waiting", 60), recorder.said)
        recorder.end(signal.SIGKILL)
        p.ask("warm 16")
        self.assertEqual(p.ask("state"), 100)
        recorder = self.attach(p)
        p.ask("many 1000")
        self.assertEqual(recorder.end(), 0)
        self.assertEqual(self.samples_of("small"), 6000)

    def test_waiting_ends_with_ctrl_c(self):
        p = Program(self)
        recorder = Recorder(self, p.pid)
        self.assertTrue(recorder.heard("still waiting", 60), recorder.said)
        self.assertIn("is being attached to by process " + str(recorder.process.pid), self.refused(p.pid))
        self.assertEqual(recorder.end(), 1)
        self.assertIn("nothing was recorded", recorder.said)
        p.ask("warm 16")
        self.assertEqual(p.ask("state"), 100)
        self.assertEqual(list(self.here.iterdir()), [])

    def test_one_recorder_at_a_time(self):
        p = Program(self)
        recorder = self.attach(p)
        self.assertIn(f"{p.pid} is recorded already, by process {recorder.process.pid}", self.refused(p.pid))
        p.ask("many 1000")
        self.assertEqual(recorder.end(), 0)
        self.assertEqual(self.samples_of("small"), 6000)

    def test_a_program_that_was_started_by_a_recorder(self):
        first = subprocess.Popen([COMMAND, "record", "-q", "-o", "first.ctf", "--", Program.usual], cwd=self.here,
                                 text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with first:
            self.assertEqual(first.stdout.readline(), "ready\n")
            children = pathlib.Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
            self.assertIn(f"is recorded already, by process {first.pid}", self.refused(children[0]))

    def test_a_program_that_writes_a_trace_itself(self):
        p = Program(self, self.linked(), preloaded=False)
        p.ask("trace")
        recorder = Recorder(self, p.pid)
        for _ in range(200):
            if recorder.heard("writes a trace itself", 0.05):
                break
            p.ask("warm 16")
        self.assertEqual(recorder.status(), 1, recorder.said)
        self.assertIn("writes a trace itself", recorder.said)
        p.ask("stop")
        recorder = self.attach(p)
        p.ask("many 1000")
        p.ask("trace")  # sends the recorder away
        self.assertEqual(recorder.status(), 0, recorder.said)
        self.assertIn("goes on without", recorder.said)
        self.assertEqual(self.samples_of("small"), 6000)
        p.ask("many 1000")
        p.ask("stop")
        p.tell("exit 0")
        self.assertEqual(p.process.wait(60), 5)
        subprocess.run([COMMAND, "identify", str(self.here / "own.ctf")], check=True, capture_output=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + (sys.argv[1:] or ["-v"]))
