# SPDX-License-Identifier: MIT
"""memprof record --pid: a program that runs already is recorded, and goes on without when that ends."""

import sys
import time
import unittest

from attaching import AttachCase, Program, Recorder


class Attach(AttachCase):
    def check_whole(self, p):
        """Attach, count, detach, and again: each trace has exactly what came meanwhile."""
        p.ask("many 1000")
        for n in (2000, 3000):
            recorder = self.attach(p)
            self.assertEqual(p.ask("state"), 101)  # one thread, one mapping
            p.ask(f"many {n}")
            p.ask(f"free {n + 1000}")  # some of them are not known
            p.ask("many 1000")
            self.assertEqual(recorder.end(), 0, recorder.said)
            p.ask("warm 16")
            self.assertEqual(p.ask("state"), 100)  # it is as before
            self.assertEqual(self.samples_of("small"), 6 * (n + 1000))
            self.assertEqual(self.samples_of("small", what="in_use_at_end"), 6 * 1000)
            self.assertGreater(int(self.notes()["attached"]), 0)
        self.assertEqual(p.ask("many 1"), 0)

    def test_preloaded_and_idle(self):
        self.check_whole(Program(self))

    def test_preloaded_without_any_sample(self):
        self.check_whole(Program(self, MEMPROF_RATE="0"))

    def test_linked_and_idle(self):
        self.check_whole(Program(self, self.linked(), preloaded=False))

    def test_linked_and_preloaded(self):
        self.check_whole(Program(self, self.linked()))

    def test_no_descriptor_stays(self):
        p = Program(self)
        before = p.ask("descriptors")
        recorder = self.attach(p)
        self.assertEqual(p.ask("descriptors"), before)
        p.ask("close-all")
        p.ask("many 1000")
        self.assertEqual(recorder.end(), 0)
        self.assertEqual(self.samples_of("small"), 6000)

    def test_threads(self):
        p = Program(self)
        recorder = self.attach(p)
        p.ask("threads 5000")
        self.assertEqual(recorder.end(), 0)
        self.assertEqual(self.samples_of("of_a_thread"), 4 * 5000 * 6)
        self.assertEqual(self.samples_of("of_a_thread", what="in_use_at_end"), 0)

    def test_busy_threads(self):
        p = Program(self)
        p.ask("work")
        for _ in range(3):  # one of the threads answers: this one does nothing
            recorder = self.attach(p, "--duration", "0.3", warm=False, rate="1e-5")
            before = p.ask("rounds")
            self.assertEqual(recorder.status(), 0, recorder.said)
            self.assertGreater(self.samples_of("warm"), 0)
            self.assertNotIn("missing", recorder.said)
            self.assertGreater(p.ask("rounds"), before)
        self.end_work(p)

    def test_the_program_ends(self):
        for how, status in (("exit", 5), ("_exit", 6)):
            with self.subTest(how):
                p = Program(self)
                recorder = self.attach(p)
                p.tell(how + " 100000")
                self.assertEqual(p.process.wait(60), status)
                self.assertEqual(recorder.status(), 0, recorder.said)
                self.assertIn(f"{p.pid} has ended", recorder.said)
                self.assertEqual(self.samples_of("small"), 600_000)

    def test_the_program_is_killed(self):
        p = Program(self)
        recorder = self.attach(p)
        p.ask("many 100000")
        p.process.kill()
        self.assertEqual(recorder.status(), 0, recorder.said)
        self.assertEqual(self.samples_of("small"), 600_000)

    def test_the_program_executes_another(self):
        p = Program(self)
        recorder = self.attach(p)
        p.ask("many 1000")
        p.tell("exec")
        self.assertEqual(recorder.status(), 0, recorder.said)
        self.assertIn(f"{p.pid} has executed another program", recorder.said)
        self.assertEqual(self.samples_of("small"), 6000)
        self.assertEqual(p.process.stdout.readline(), "ready\n")
        recorder = self.attach(p)
        p.ask("many 1000")
        self.assertEqual(recorder.end(), 0)
        self.assertEqual(self.samples_of("small"), 6000)

    def test_forks(self):
        for how in ("fork", "raw-fork"):
            with self.subTest(how):
                p = Program(self)
                recorder = self.attach(p)
                self.assertEqual(p.ask(how), 1)
                p.ask("many 1000")
                self.assertEqual(recorder.end(), 0)
                self.assertIn("1 child was not traced", recorder.said)
                self.assertEqual(self.samples_of("small"), 6000)
                self.assertEqual(self.samples_of("of_the_child"), 0)

    def test_nothing_is_sampled_in_a_child(self):
        p = Program(self, self.linked())
        recorder = self.attach(p)
        p.ask("go-on-in-child")
        before = p.ask("samples")
        p.ask("many 1000")
        self.assertEqual(p.ask("samples"), before)
        self.assertEqual(recorder.end(), 0)

    def test_a_child_has_a_recorder_of_its_own(self):
        p = Program(self)
        of_parent = self.attach(p, "-o", "parent.ctf")
        p.pid = p.ask("go-on-in-child")
        of_child = self.attach(p, "-o", "child.ctf")
        p.ask("many 100")
        self.assertEqual(of_child.end(), 0)
        self.assertEqual(of_parent.end(), 0)
        self.assertEqual(self.samples_of("small", "child.ctf"), 600)
        self.assertEqual(self.samples_of("small", "parent.ctf"), 0)

    def test_children(self):
        p = Program(self)
        recorder = self.attach(p, "--children")
        self.assertEqual(p.ask("fork"), 1)
        p.ask("many 1000")
        self.assertEqual(recorder.end(), 0)
        own, child = f"a.{p.pid}.ctf", [n.name for n in self.here.iterdir() if str(p.pid) not in n.name]
        self.assertEqual(len(child), 1, recorder.said)
        self.assertEqual(self.samples_of("small", own), 6000)
        self.assertEqual(self.samples_of("of_the_child", child[0]), 500 * 12501)

    def test_a_child_of_vfork_leaves_the_request_to_its_parent(self):
        p = Program(self)
        recorder = Recorder(self, p.pid)
        time.sleep(0.5)  # it has asked, most likely
        self.assertEqual(p.ask("vfork"), 3)
        for _ in range(200):
            if recorder.heard("is recorded", 0.05):
                break
            p.ask("warm 16")
        p.ask("many 1000")
        self.assertEqual(recorder.end(), 0, recorder.said)
        self.assertEqual(self.samples_of("small"), 6000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + (sys.argv[1:] or ["-v"]))
