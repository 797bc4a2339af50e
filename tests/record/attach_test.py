# SPDX-License-Identifier: MIT
"""memprof record --pid: a program that runs already is recorded, and goes on without when that ends."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from attaching import Program, Recorder

COMMAND = os.environ["MEMPROF_COMMAND"]


def setUpModule():
    global folder, program, linked
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-attach-"))
    folder.chmod(0o755)
    here = pathlib.Path(__file__).resolve().parent
    source, root = here / "attached.cpp", here.parents[1]
    program, linked = str(folder / "program"), str(folder / "linked")
    compiler = [os.environ["CXX"], "-std=c++23", "-g", "-O1", str(source), "-pthread"]
    subprocess.run([*compiler, "-o", program], check=True)
    Program.usual = program
    subprocess.run([*compiler, "-DMEMPROF_LINKED", f"-I{root / 'include'}", "-o", linked,
                    *os.environ["MEMPROF_LINKED"].split()], check=True)


def tearDownModule():
    subprocess.run(["rm", "-rf", str(folder)], check=True)


class Attach(unittest.TestCase):
    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=folder))

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
        self.check_whole(Program(self, linked, preloaded=False))

    def test_linked_and_preloaded(self):
        self.check_whole(Program(self, linked))

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

    def test_one_recorder_at_a_time(self):
        p = Program(self)
        recorder = self.attach(p)
        self.assertIn(f"{p.pid} is recorded already, by process {recorder.process.pid}", self.refused(p.pid))
        p.ask("many 1000")
        self.assertEqual(recorder.end(), 0)
        self.assertEqual(self.samples_of("small"), 6000)

    def test_a_program_that_was_started_by_a_recorder(self):
        first = subprocess.Popen([COMMAND, "record", "-q", "-o", "first.ctf", "--", program], cwd=self.here, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with first:
            self.assertEqual(first.stdout.readline(), "ready\n")
            children = pathlib.Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
            self.assertIn(f"is recorded already, by process {first.pid}", self.refused(children[0]))

    def test_a_program_that_writes_a_trace_itself(self):
        p = Program(self, linked, preloaded=False)
        p.ask("trace")
        recorder = Recorder(self, p.pid)
        for _ in range(200):
            if recorder.heard("writes a trace itself", 0.05):
                break
            p.ask("warm 16")
        self.assertEqual(recorder.status(), 1, recorder.said)
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
