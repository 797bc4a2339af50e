# SPDX-License-Identifier: MIT
"""What the recorder sees from outside: memory that malloc does not know, threads by name, and why a program was
killed."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
PROGRAM = r"""
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static void* work(void*) { usleep(900000); return nullptr; }
int main(int argc, char** argv) {
  const std::size_t size = std::strtoul(argv[1], nullptr, 10) << 20;
  if (argc > 2 && std::strcmp(argv[2], "overflow") == 0) {
    // The byte behind 64 is the C library's to give away, too: without a guard nothing happens.
    for (int i = 0; i < 1000; ++i) {
      char volatile* const block = static_cast<char volatile*>(std::malloc(64));
      block[64] = 1;
    }
    return 0;
  }
  if (argc > 2 && std::strcmp(argv[2], "child") == 0) {
    if (fork() == 0) {
      prctl(PR_SET_NAME, "a child");
      std::memset(std::malloc(size), 1, size);
      usleep(1500000);  // the recorder looks at it every 250 ms
      _exit(0);
    }
    wait(nullptr);
    return 0;
  }
  if (argc > 2) {  // as much as that, by malloc
    for (std::size_t i = 0; i < size >> 20; ++i) std::memset(std::malloc(1 << 20), 1, 1 << 20);
    return 0;
  }
  pthread_t thread;
  pthread_create(&thread, nullptr, &work, nullptr);
  pthread_setname_np(thread, "a worker");
  for (int i = 0; i < 100; ++i) static_cast<char*>(malloc(10000))[5000] = 1;
  void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(at, 1, size);
  pthread_join(thread, nullptr);
}
"""


def setUpModule():
    global folder, program
    program = str(compiled(PROGRAM))
    folder = pathlib.Path(program).parent


class Notes(unittest.TestCase):
    def setUp(self):
        self.trace = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "a.ctf"

    def record(self, *command, rate="1e-2"):
        return subprocess.run([COMMAND, "record", "--rate", rate, "-f", "-o", str(self.trace), "--", *command],
                              text=True, capture_output=True, timeout=100)

    def notes(self):
        return json.loads(subprocess.run([COMMAND, "identify", "--json", str(self.trace)], text=True,
                                         capture_output=True, check=True).stdout)["notes"]

    def test_what_was_mapped_directly(self):
        self.assertEqual(self.record(program, "64").returncode, 0)
        notes = self.notes()
        size = 64 << 20
        self.assertLess(size, int(notes["anonymous_peak"]))
        self.assertLess(int(notes["anonymous_peak"]), int(notes["resident_peak"]))
        step, *values = notes["resident"].split()
        self.assertEqual(step, "250000")
        self.assertGreaterEqual(len(values), 3)
        self.assertGreater(int(values[-1]) * 1024, size)
        self.assertIn("a worker", [line.partition(" ")[2] for line in notes["threads"].splitlines()])
        top = subprocess.run([COMMAND, "top", str(self.trace)], text=True, capture_output=True, check=True).stdout
        self.assertRegex(top, r"resident at most, [\d.]+ [KM]iB by malloc: the rest was mapped directly\n")
        text = subprocess.run([COMMAND, "identify", str(self.trace)], text=True, capture_output=True,
                              check=True).stdout
        self.assertRegex(text, r"\n   threads: \d+ program; \d+ a worker\n")

    def test_a_program_is_called_as_it_was_typed(self):
        link = self.trace.parent / "typed"
        link.symlink_to(program)
        self.assertEqual(self.record(link, "0", "malloc", rate="1e-1").returncode, 0)
        top = self.command("top")
        self.assertTrue(top.startswith(f"{link} ["), top)
        self.assertIn(f": {link}\n", self.command("stats"))
        for report in ("top", "tree"):
            names = json.loads(subprocess.run([COMMAND, report, "--json", str(self.trace)], text=True,
                                              capture_output=True, check=True).stdout)
            self.assertEqual(names["program"], str(link))
            self.assertEqual(names["executable"], os.path.realpath(program))
        speedscope = json.loads(subprocess.run([COMMAND, "convert", "--to", "speedscope", str(self.trace)], text=True,
                                               capture_output=True, check=True).stdout)
        self.assertIn("typed", {speedscope["name"], *(p["name"] for p in speedscope["profiles"])})

    def test_a_child_is_called_as_the_kernel_calls_it(self):
        subprocess.run([COMMAND, "record", "--children", "--rate", "1e-1", "-q", "-f", "-o", str(self.trace), "--",
                        str(program), "1", "child"], check=True, timeout=100)
        found = [p for p in self.trace.parent.glob("a*.ctf*")]
        names = {json.loads(subprocess.run([COMMAND, "top", "--json", str(p)], text=True, capture_output=True,
                                           check=True).stdout)["program"] for p in found}
        self.assertIn("a child", names, found)

    def test_what_malloc_has_is_not_called_mapped(self):
        self.assertEqual(self.record(program, "64", "malloc").returncode, 0)
        top = subprocess.run([COMMAND, "top", str(self.trace)], text=True, capture_output=True, check=True).stdout
        self.assertIn("by malloc", top)
        self.assertNotIn("mapped", top)

    def test_a_fault_that_a_guarded_block_shows(self):
        os.environ["MEMPROF_GUARD"] = "1"
        try:
            result = self.record(program, "0", "overflow", rate="1")
        finally:
            del os.environ["MEMPROF_GUARD"]
        headline = re.search(r"memprof: (heap overflow: write 1 byte past the end of a block of 64 bytes, 0x[0-9a-f]+)\n",
                             result.stderr)
        self.assertTrue(headline, result.stderr)
        self.assertEqual(result.returncode, 128 + signal.SIGSEGV)
        self.assertEqual(self.notes()["fault"], headline[1])
        self.assertIn(f"found by MEMPROF_GUARD: {headline[1]}\n", self.command("top"))
        self.assertRegex(self.command("identify"), r"\n   with memprof seed=\d+ guard=1\n")

    def test_without_a_guard_nothing_is_said_of_one(self):
        self.assertEqual(self.record(program, "0", "overflow").returncode, 0)
        self.assertNotIn("fault", self.notes())
        self.assertNotIn("guard", self.command("identify"))

    def command(self, what):
        return subprocess.run([COMMAND, what, str(self.trace)], text=True, capture_output=True, check=True).stdout

    def in_a_group(self, inner):
        """Runs a shell command in a control group of 100 MB, whose processes file is $GROUP."""
        for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            group = pathlib.Path(root) / f"memprof-test-{os.getpid()}"
            if not (pathlib.Path(root) / "cgroup.procs").exists():
                continue
            try:
                group.mkdir()
                (group / limit).write_text("100000000")
            except OSError:
                if group.exists():
                    group.rmdir()
                continue
            try:
                return subprocess.run(["sh", "-c", inner], text=True, capture_output=True, timeout=100,
                                      env={**os.environ, "GROUP": str(group / "cgroup.procs")})
            finally:
                subprocess.run(["sh", "-c", f"while ! rmdir {group}; do sleep 0.1; done"], timeout=20, check=False,
                               capture_output=True)
        self.skipTest("no control groups of ours here")
        return None

    def test_a_program_that_the_kernel_kills_for_its_memory(self):
        record = f"{COMMAND} record -f -o {self.trace} --"
        eats = f"{program} 300 malloc"
        for who, inner, cause in (
                ("both in the group", f"echo $$ > $GROUP; exec {record} {eats}", "in its control group"),
                ("the program alone", f"exec {record} sh -c 'echo $$ > $GROUP; exec {eats}'", "lack of memory")):
            with self.subTest(who):
                result = self.in_a_group(inner)
                if result.returncode == 0:
                    self.skipTest("limits of control groups are not kept here")
                self.assertEqual(result.returncode, 137, result.stderr)
                self.assertRegex(result.stderr, rf"was ended by signal 9 \(Killed\): .*by the kernel, for .*{cause}")
                self.assertRegex(self.notes()["ended"], rf"by the kernel, for .*{cause}")

    def test_a_kill_by_somebody_is_not_the_kernels(self):
        result = self.record("sh", "-c", "kill -9 $$")
        self.assertRegex(result.stderr, r"was ended by signal 9 \(Killed\)\n")

    def test_depth_is_refused_by_the_command(self):
        for depth in ("5000", "-1", "1.5", "x"):
            with self.subTest(depth):
                result = subprocess.run([COMMAND, "record", "--callstack-size", depth, "--", "touch", str(self.trace)],
                                        text=True, capture_output=True)
                self.assertEqual(result.returncode, 2)
                self.assertIn("--callstack-size: ", result.stderr)
                self.assertFalse(self.trace.exists())
        self.assertIn("from 0 to 4096", subprocess.run(
            [COMMAND, "record", "--callstack-size", "5000", "--", "true"], text=True, capture_output=True).stderr)

    def test_children_without_samples_leave_no_files(self):
        script = "for i in 1 2 3; do /bin/true; done; exec " + program + " 1 malloc"
        result = subprocess.run([COMMAND, "record", "--children", "--rate", "1e-5", "-o", str(self.trace), "--",
                                 "sh", "-c", script], text=True, capture_output=True, timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(list(self.trace.parent.iterdir())), 1, result.stderr)
        self.assertIn("3 other processes took no sample and have no trace", result.stderr)


if __name__ == "__main__":
    unittest.main()
