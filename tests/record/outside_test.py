# SPDX-License-Identifier: MIT
"""The recorder outside: nothing that was sampled is lost, however the program ends; nothing of ours runs in it;
and a recorder that is gone does not hold it up."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
# Blocks of 40 bytes have 5 words and one for the header: 6 samples at rate 1.
PROGRAM = r"""
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
static void* keep[100000];
__attribute__((noinline)) static void many(int n) { for (int i = 0; i < n; ++i) keep[i] = malloc(40); }
__attribute__((noinline)) static void of_the_child() { for (int i = 0; i < 500; ++i) keep[i] = malloc(100000); }
static int tasks() {
  DIR* const folder = opendir("/proc/self/task");
  int n = 0;
  while (auto const* const e = readdir(folder)) n += e->d_name[0] != '.';
  closedir(folder);
  return n;
}
static int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
static void* go_on(void*) { usleep(200000); many(1000); exit(6); }
int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "tasks") { many(1000); std::printf("%d\n", tasks()); return 0; }
  if (what == "unshare") { many(1000); return unshare(CLONE_NEWUSER) == 0 ? 0 : 1; }
  if (what == "main-leaves") {
    pthread_t other;
    pthread_create(&other, nullptr, go_on, nullptr);
    pthread_exit(nullptr);
  }
  if (what == "fork") {
    const pid_t child = fork();
    if (child == 0) { of_the_child(); _exit(0); }
    return wait_for(child);
  }
  if (what == "raw-fork") {  // behind the C library's back
    const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) { of_the_child(); _exit(0); }
    return wait_for(static_cast<pid_t>(child));
  }
  if (what == "daemon") {
    if (fork() != 0) _exit(0);
    setsid();
    if (fork() != 0) _exit(0);
    for (int i = 0; i < 1024; ++i) close(i);
    usleep(300000);
    of_the_child();
    _exit(0);
  }
  if (what == "spawn") {
    for (int i = 0; i < 1024; ++i) if (i > 2) close(i);  // the child has to ask the recorder
    char fork_too[] = "fork";
    char* arguments[] = {argv[0], fork_too, nullptr};
    pid_t child;
    posix_spawn(&child, argv[0], nullptr, nullptr, arguments, environ);
    return wait_for(child);
  }
  if (what == "stop") {  // waits to be continued, if nobody does that for half a minute in vain
    many(1000); std::puts("ready"); std::fflush(stdout);
    raise(SIGSTOP);
    many(1000); std::puts("continued"); return 7;
  }
  if (what == "much") {  // far more than the ring holds, until somebody writes a line
    std::puts("ready"); std::fflush(stdout);
    std::getchar();
    for (int i = 0; i < 10; ++i) { many(100000); for (void* p : keep) free(p); }
    std::puts("done"); return 8;
  }
  if (what == "late") {  // than the ring holds, and goes on after another line
    std::puts("ready"); std::fflush(stdout); std::getchar();
    many(100000); for (void* p : keep) free(p);
    std::puts("full"); std::fflush(stdout); std::getchar();
    many(100000); for (void* p : keep) free(p);
    for (int i = 0; i < 10; ++i) { usleep(100000); free(malloc(40)); }  // when there is room again
    return 9;
  }
  if (what == "modules") {  // of the same size: each takes the place of the one before
    void* last = nullptr;
    for (int i = 0; i < 20; ++i) {
      void* const module = dlopen(argv[2 + i % 2], RTLD_NOW);
      auto* const allocate = reinterpret_cast<void (*)()>(dlsym(module, "allocate"));
      if (last != nullptr && last != reinterpret_cast<void*>(allocate)) std::puts("elsewhere");
      last = reinterpret_cast<void*>(allocate);
      for (int j = 0; j < 100; ++j) allocate();
      dlclose(module);
    }
    return 0;
  }
  many(100000);
  if (what == "_exit") _exit(3);
  if (what == "kill") raise(SIGKILL);
  if (what == "crash") { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); }
  if (what == "exec") { execl("/bin/true", "true", nullptr); }
  if (what == "seccomp") raise(SIGSYS);
  return 0;
}
"""


def setUpModule():
    global folder, program
    program = str(compiled(PROGRAM))
    folder = pathlib.Path(program).parent


class Outside(unittest.TestCase):
    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=folder))

    def command(self, what, *options):
        return [COMMAND, "record", "--rate", "1", "-o", "a.ctf", *options, "--", program, *what.split()]

    def record(self, what, *options):
        return subprocess.run(self.command(what, *options), cwd=self.here, text=True, capture_output=True,
                              timeout=100)

    def start(self, what, *options):
        running = subprocess.Popen(self.command(what, *options), cwd=self.here, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        return running

    def samples_of(self, function, trace):
        """Samples of what `function` allocated itself; 0 if the trace does not know it."""
        report = json.loads(subprocess.run(
            [COMMAND, "top", "--json", "-n", "0", str(self.here / trace)], text=True, capture_output=True,
            check=True).stdout)
        return sum(row["self"]["allocated"]["samples"] for row in report["rows"] if function in row["name"])

    def check_lives(self, trace):
        """Each block in the trace is promoted once at most, and then freed, but for the last ones."""
        promoted, freed, allocated = set(), set(), 0
        with subprocess.Popen([COMMAND, "dump", str(self.here / trace)], text=True, stdout=subprocess.PIPE) as dump:
            for _, block, event, *_ in map(str.split, dump.stdout):
                self.assertNotIn(block, freed)
                if event == "promote":
                    self.assertNotIn(block, promoted)
                    promoted.add(block)
                elif event == "collect":
                    freed.add(block)
                else:
                    allocated += 1
        self.assertGreater(len(freed), 1000)
        self.assertLess(allocated - len(freed), 1000)

    def traces(self):
        return sorted(p.name for p in self.here.iterdir())

    def check_all_there(self, result, status):
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(self.samples_of("many", "a.ctf"), 600_000)

    def test_nothing_is_lost_at_the_end(self):
        for what, status in (("plain", 0), ("_exit", 3), ("kill", 137), ("crash", 139)):
            with self.subTest(what):
                result = self.record(what, "-f")
                self.check_all_there(result, status)
                self.assertNotIn("lack", result.stderr)

    def test_nothing_is_lost_when_another_program_is_executed(self):
        self.check_all_there(self.record("exec"), 0)
        self.assertEqual(self.traces(), ["a.ctf"])

    def test_a_push_that_is_never_completed(self):
        result = subprocess.run(
            [COMMAND, "record", "--rate", "1", "-o", "a.ctf", "--", "env", "-u", "LD_PRELOAD", os.environ["MEMPROF_HOLE"]],
            cwd=self.here, text=True, capture_output=True, timeout=100)
        self.assertEqual((result.returncode, result.stdout), (0, "200000\n"), result.stderr)
        identity = json.loads(subprocess.run([COMMAND, "top", "--json", str(self.here / "a.ctf")],
                                             text=True, capture_output=True, check=True).stdout)["all"]
        # (and those of env, if it took any before it executed this one)
        self.assertGreaterEqual(identity["allocated"]["sampled_blocks"], 200_000)
        self.assertEqual(identity["in_use_at_end"]["sampled_blocks"], 1)

    def test_a_killing_filter_is_named(self):
        self.assertIn("seccomp", self.record("seccomp").stderr)

    def test_what_only_the_recorder_knows_is_in_the_trace(self):
        for what, ended in (("_exit", "exit 3"), ("kill", "signal 9 (Killed)")):
            self.record(what, "-f")
            identity = json.loads(subprocess.run([COMMAND, "identify", "--json", str(self.here / "a.ctf")],
                                                 text=True, capture_output=True, check=True).stdout)
            self.assertEqual(identity["notes"]["ended"], ended)
            self.assertEqual(identity["notes"]["command"], f"{program} {what}")
            # Of 100000 blocks of at least 40 bytes; at most that what it can have.
            self.assertTrue(4_000_000 < int(identity["notes"]["resident_peak"]) < 10_000_000_000, identity)
            top = subprocess.run([COMMAND, "top", str(self.here / "a.ctf")], text=True, capture_output=True,
                                 check=True).stdout
            self.assertIn(f"command: {program} {what}\nended: {ended}; ", top)

    def test_nothing_of_ours_in_the_program(self):
        result = self.record("tasks")
        self.assertEqual((result.returncode, result.stdout), (0, "1\n"))

    def test_modules_that_take_each_others_place(self):
        for name, size in (("first", 40), ("second", 80)):
            source = self.here / f"{name}.cpp"
            source.write_text("#include <cstdlib>\n"
                              f"__attribute__((noinline)) static void* in_the_{name}() {{ return malloc({size}); }}\n"
                              f'extern "C" void allocate() {{ static void* volatile kept; kept = in_the_{name}(); }}\n')
            subprocess.run([os.environ["CXX"], "-g", "-O0", "-shared", "-fPIC", str(source), "-o",
                            str(self.here / f"{name}.so")], check=True)
        result = self.record(f"modules {self.here}/first.so {self.here}/second.so")
        self.assertEqual(result.returncode, 0, result.stderr)
        if "elsewhere" in result.stdout:
            self.skipTest("the loader does not use an address again")
        self.assertEqual(self.samples_of("in_the_first", "a.ctf"), 1000 * 6)
        self.assertEqual(self.samples_of("in_the_second", "a.ctf"), 1000 * 11)

    def test_little_address_space(self):
        result = subprocess.run([COMMAND, "record", "--rate", "1", "-o", "a.ctf", "--", "sh", "-c",
                                 f"ulimit -v 200000; exec {program} tasks"], cwd=self.here, text=True,
                                capture_output=True, timeout=100)
        self.assertEqual((result.returncode, result.stdout), (0, "1\n"), result.stderr)
        self.assertEqual(self.samples_of("many", "a.ctf"), 6000)

    def test_address_space_is_taken_for_children_alone(self):
        sizes = [int(subprocess.run([COMMAND, "record", "-f", "-q", "-o", "a.%p.ctf", *children, "--", "grep", "-oP",
                                     r"VmSize:\s*\K\d+", "/proc/self/status"], cwd=self.here, text=True,
                                    capture_output=True, check=True).stdout) for children in ((), ("--children",))]
        self.assertLess(sizes[0] + (256 << 10), sizes[1])  # KiB

    def test_a_namespace_of_its_own(self):
        if subprocess.run([program, "unshare"], check=False).returncode != 0:
            self.skipTest("no user namespaces here")
        self.assertEqual(self.record("unshare").returncode, 0)

    def test_the_main_thread_may_leave(self):
        result = self.record("main-leaves")
        self.assertEqual(result.returncode, 6)
        self.assertEqual(self.samples_of("many", "a.ctf"), 6000)

    def check_child(self, result, processes=2):
        """All processes were seen, and among the traces is one with all 500 blocks of 100 kB of the child's."""
        self.assertEqual(result.returncode, 0, result.stderr)
        without = re.search(r"(\d+) other process(es)? took no sample", result.stderr)
        self.assertEqual(len(self.traces()) + (int(without[1]) if without else 0), processes, result.stderr)
        self.assertEqual(result.stderr.count("trace a."), len(self.traces()))
        self.assertEqual(sum(self.samples_of("of_the_child", t) for t in self.traces()), 500 * 12_501)

    def test_children(self):
        for what, processes in (("fork", 2), ("raw-fork", 2), ("daemon", 3), ("spawn", 3)):
            with self.subTest(what):
                for trace in self.traces():
                    (self.here / trace).unlink()
                self.check_child(self.record(what, "--children"), processes)

    def test_children_are_announced(self):
        # (Of a daemon the second child may come when the recording has ended; of what is spawned, what it
        # forks itself is not seen.)
        for what in ("fork", "daemon", "spawn"):
            with self.subTest(what):
                result = self.record(what, "-f")
                self.assertEqual(result.returncode, 0)
                self.assertRegex(result.stderr, r"(1 child was|2 children were) not traced: --children")
                self.assertEqual(self.samples_of("of_the_child", "a.ctf"), 0)
        self.assertNotIn("children", self.record("plain", "-f").stderr)

    def child_of(self, running):
        children = pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        return int(children[0])

    def wait_until(self, condition):
        begin = time.monotonic()
        while not condition():
            self.assertLess(time.monotonic() - begin, 60)
            time.sleep(0.02)

    def state_of(self, process):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]

    def test_stopped_and_continued(self):
        for who in ("program", "recorder"):
            with self.subTest(who):
                running = self.start("stop", "-f")
                self.assertEqual(running.stdout.readline(), "ready\n")
                child = self.child_of(running)
                self.wait_until(lambda: self.state_of(child) == "T" and self.state_of(running.pid) == "T")
                os.kill(child if who == "program" else running.pid, signal.SIGCONT)
                out, err = running.communicate(timeout=60)
                self.assertEqual((running.returncode, out), (7, "continued\n"), err)
                self.assertEqual(self.samples_of("many", "a.ctf"), 12_000)

    def test_a_recorder_that_is_gone(self):
        running = self.start("much")
        self.assertEqual(running.stdout.readline(), "ready\n")
        running.send_signal(signal.SIGKILL)
        running.wait(60)
        begin = time.monotonic()
        running.stdin.write("\n")
        running.stdin.flush()
        self.assertEqual(running.stdout.readline(), "done\n")
        # It waits for a second in all. The rest is its work, and the machine's load.
        self.assertLess(time.monotonic() - begin, 90)
        running.stdin.close()
        running.stdout.close()
        running.stderr.close()

    def stopped(self, what, *options):
        """A recorder that stopped when its program was ready, which goes on."""
        running = self.start(what, *options)
        self.assertEqual(running.stdout.readline(), "ready\n")
        os.kill(running.pid, signal.SIGSTOP)
        running.stdin.write("\n")
        running.stdin.flush()
        return running

    def test_a_stopped_recorder_is_waited_for_and_then_not(self):
        running = self.stopped("much")
        self.assertEqual(running.stdout.readline(), "done\n")
        os.kill(running.pid, signal.SIGCONT)
        _, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 8)
        missing = re.search(r"a\.ctf: (\d+) sampled blocks or interrupts are missing", err)
        self.assertGreater(int(missing[1]), 100_000)

    def test_what_a_stopped_recorder_missed_of_its_blocks_comes_later(self):
        for _ in range(3):
            running = self.stopped("late", "-f")
            self.assertEqual(running.stdout.readline(), "full\n")
            os.kill(running.pid, signal.SIGCONT)
            time.sleep(0.5)  # the recorder makes room
            running.communicate("\n", timeout=60)
            self.assertEqual(running.returncode, 9)
            self.check_lives("a.ctf")

    def test_a_recorder_that_is_late_is_waited_for(self):
        for _ in range(5):
            running = self.start("much", "-f")
            self.assertEqual(running.stdout.readline(), "ready\n")
            begin = time.monotonic()
            os.kill(running.pid, signal.SIGSTOP)
            running.stdin.write("\n")
            running.stdin.flush()
            time.sleep(0.2)  # the ring is full long before
            os.kill(running.pid, signal.SIGCONT)
            late = time.monotonic() - begin
            out, err = running.communicate(timeout=60)
            self.assertEqual((running.returncode, out), (8, "done\n"))
            if late < 0.5:  # half of the patience
                self.assertNotIn("missing", err)
                self.assertEqual(self.samples_of("many", "a.ctf"), 6_000_000)
                return
        self.skipTest("this machine continues a process half a second late")

    def test_a_recording_of_daemons_can_be_ended(self):
        running = subprocess.Popen(
            [COMMAND, "record", "--children", "-o", "a.ctf", "--", "sh", "-c", "sleep 1000 >&- 2>&- & exit 5"],
            cwd=self.here, text=True, stderr=subprocess.PIPE)
        self.addCleanup(running.kill)
        line = running.stderr.readline()
        self.assertIn("still traced", line)
        sleeper = int(re.findall(r"\d+", line)[-1])
        self.addCleanup(os.kill, sleeper, signal.SIGKILL)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(60), 5)
        # Only the first process leaves a trace without samples.
        self.assertEqual(len(self.traces()), 1)
        self.assertIn("1 other process took no sample and has no trace", running.stderr.read())
        self.assertEqual(self.state_of(sleeper), "S")
        running.stderr.close()


if __name__ == "__main__":
    unittest.main()
