# SPDX-License-Identifier: MIT
"""What is freed when the process ends, by static objects or handlers, was in use as long as it worked: it is in use
at the end, however the end begins, and the moment stands in the trace."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from compiled import compiled

COMMAND, PRELOAD = os.environ["MEMPROF_COMMAND"], os.environ["MEMPROF_PRELOAD"]
# 1000 blocks of 40 bytes, 6 samples each at rate 1, kept by a static object of main, which frees them.
PROGRAM = r"""
#include <cstdlib>
#include <cstring>
#include <err.h>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#ifdef MEMPROF_LINKED
#include "memprof/memprof.hpp"
#endif
struct registry {
  void* blocks[1000];
  ~registry() { for (void*& b : blocks) free(b); }
};
__attribute__((noinline)) static void keep(registry& r) { for (void*& b : r.blocks) b = malloc(40); }
__attribute__((noinline)) static void after_main() { void* volatile late = malloc(400); (void)late; }
struct thread_registry : registry { ~thread_registry() {} };
static registry* quick;
static void free_quickly() { delete quick; }
static void* leave(void*) { exit(5); }
static void* work(void*) { for (;;) { void* volatile b = malloc(40); free(b); } }
static void* nothing(void*) { usleep(100000); return nullptr; }
int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
#ifdef MEMPROF_LINKED
  if (argc > 2) memprof::start_tracing(argv[2], {.rate = memprof::sampling_rate{1.0}});
#endif
  if (how == "quick_exit") {
    quick = new registry;
    keep(*quick);
    at_quick_exit(&free_quickly);
    quick_exit(5);
  }
  if (how == "early") {  // what is freed before stays freed
    registry r;
    keep(r);
    r.~registry();
    _exit(5);
  }
  atexit(&after_main);
  if (how == "thread_local") {
    static thread_local registry of_main;
    keep(of_main);
    return 5;
  }
  static registry of_all;
  keep(of_all);
  if (how == "exit") exit(5);
  if (how == "err") errx(5, "on purpose");
  if (how == "_exit") _exit(5);
  if (how == "handler-leaves") {
    atexit(+[] { _exit(5); });
    exit(0);
  }
  if (how == "unwinds") {  // out of a handler of exit
    atexit(+[] { pthread_exit(nullptr); });
    pthread_t other;
    pthread_create(&other, nullptr, &nothing, nullptr);
    exit(0);
  }
  if (how == "child") {
    const pid_t child = vfork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    const pid_t forked = fork();
    if (forked == 0) exit(0);
    waitpid(forked, nullptr, 0);
  }
  pthread_t other;
  if (how == "thread" || how == "main-leaves") {
    pthread_create(&other, nullptr, how == "thread" ? &leave : &nothing, nullptr);
    if (how == "main-leaves") pthread_exit(nullptr);
    pause();
  }
  if (how == "threads") {
    for (int i = 0; i < 3; ++i) pthread_create(&other, nullptr, &work, nullptr);
    usleep(100000);
  }
  return 5;
}
"""


def setUpModule():
    global folder, program, linked
    root = pathlib.Path(__file__).resolve().parents[2]
    program = str(compiled(PROGRAM))
    linked = str(compiled(PROGRAM, "-std=c++23", "-DMEMPROF_LINKED", f"-I{root / 'include'}",
                          *os.environ["MEMPROF_LINKED"].split(), name="linked"))
    folder = pathlib.Path(program).parent


class Marks(unittest.TestCase):
    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.trace = self.here / "a.ctf"

    def report(self, *options, trace=None):
        return json.loads(subprocess.run([COMMAND, *options, "--json", str(trace or self.trace)], text=True,
                                         capture_output=True, check=True).stdout)

    def samples(self, report, name, measure="in_use_at_end"):
        return sum(row["self"][measure]["samples"] for row in report["rows"] if name in row["name"])

    def check_kept(self, marked=True, trace=None):
        """All blocks of `keep` are in use at the end, although most ways of leaving free them."""
        top = self.report("top", "-n", "0", trace=trace)
        self.assertEqual(self.samples(top, "keep"), 6000)
        self.assertEqual(top["exit_began_us"] is not None, marked)
        selected = self.report("top", "-n", "0", "--live-at-end", trace=trace)
        self.assertEqual(self.samples(selected, "keep", "allocated"), 6000)
        # What came after the mark was not in use then.
        self.assertEqual(self.samples(selected, "after_main", "allocated"), 0)
        return top

    def record(self, how, *options, of=None):
        return subprocess.run([COMMAND, "record", "--rate", "1", "-f", "-o", str(self.trace), *options, "--",
                               of or program, how], text=True, capture_output=True, timeout=100)

    def test_every_way_to_leave(self):
        for how in ("return", "exit", "err", "thread", "main-leaves", "threads", "thread_local", "quick_exit",
                    "handler-leaves"):
            with self.subTest(how):
                result = self.record(how)
                self.assertEqual(result.returncode, 0 if how == "main-leaves" else 5, result.stderr)
                # Behind the C library's back static objects of main are gone first.
                if how in ("err", "main-leaves"):
                    self.assertIsNotNone(self.report("top")["exit_began_us"])
                else:
                    self.check_kept()

    def test_without_an_end_of_main_the_end_is_the_traces(self):
        self.record("_exit")
        self.check_kept(marked=False)
        self.record("early")
        top = self.report("top", "-n", "0")
        self.assertEqual((self.samples(top, "keep"), self.samples(top, "keep", "allocated")), (0, 6000))

    def test_a_handler_may_unwind_the_thread(self):
        try:
            alone = subprocess.run([program, "unwinds"], stderr=subprocess.DEVNULL, timeout=10).returncode
        except subprocess.TimeoutExpired:
            # glibc 2.41 holds a lock while it exits, which the thread that left never gives back.
            self.skipTest("the program never ends without memprof, either")
        # clang's main has std::terminate around exit, which the standard lets it take for noexcept.
        if "clang" not in os.path.basename(os.environ["CXX"]):
            self.assertEqual(alone, 0)
        self.assertEqual(self.record("unwinds").returncode, alone if alone >= 0 else 128 - alone)

    def test_children_are_marked_for_themselves(self):
        result = self.record("child", "--children")
        self.assertEqual(result.returncode, 5, result.stderr)
        traces = sorted(self.here.glob("a*.ctf"))
        self.assertEqual(len(traces), 2, result.stderr)
        for trace in traces:
            self.assertIsNotNone(self.report("top", trace=trace)["exit_began_us"], trace)
        # The blocks are those of the parent.
        self.check_kept(trace=max(traces, key=lambda t: t.stat().st_size))

    def test_main_is_called_by_whom_it_is_called_without_us(self):
        self.record("return")
        table = self.report("top", "-n", "0")
        names = [row["name"] for row in table["rows"]]
        self.assertFalse([n for n in names if "call_main" in n or "memprof-preload" in n], names)
        folded = subprocess.run([COMMAND, "flamegraph", str(self.trace)], text=True, capture_output=True,
                                check=True).stdout
        # glibc's static __libc_start_call_main has a name where libc6-dbg is installed.
        self.assertRegex(folded, r"(?m)(^|;)__libc_start_main[^;]*;((__libc_start|libc\.so\.6\+)[^;]*;)?main;keep")

    def test_the_reports_say_when(self):
        self.record("exit")
        text = subprocess.run([COMMAND, "top", str(self.trace)], text=True, capture_output=True, check=True).stdout
        # 1000 blocks of 40 bytes and a word for each header.
        self.assertRegex(text, r"\nthe end is when exit began, at [\d.]+ \w+; 46.9 KiB was freed after that\n")
        when = self.report("top")["exit_began_us"]
        self.assertEqual(self.report("identify")["notes"]["exit_began"], str(when))

    def test_copies_keep_it_in_its_place(self):
        self.record("exit")
        copy = self.here / "copy.ctf"
        for command in (["convert", "--to", "memtrace"], ["subsample", "--factor", "1"], ["repair"]):
            with self.subTest(command[0]):
                subprocess.run([COMMAND, *command, "-f", "-o", str(copy), str(self.trace)], check=True,
                               capture_output=True)
                self.check_kept(trace=copy)

    def test_traced_by_the_program_itself(self):
        subprocess.run([program, "exit"], check=False, env={
            **os.environ, "LD_PRELOAD": PRELOAD, "MEMTRACE": str(self.trace), "MEMTRACE_RATE": "1"})
        self.check_kept()

    def test_traced_by_a_linked_program(self):
        for how in ("return", "exit", "quick_exit"):
            with self.subTest(how):
                subprocess.run([linked, how, str(self.trace)], check=False, timeout=100)
                self.assertIsNotNone(self.report("top")["exit_began_us"])
        # Recorded, it has the mark of the preload library.
        result = self.record("exit", of=linked)
        self.assertEqual(result.returncode, 5, result.stderr)
        top = self.report("top", "-n", "0")
        self.assertIsNotNone(top["exit_began_us"])
        # A block that its own copy of the library samples, at 1e-4, is a page to the other one.
        self.assertGreater(self.samples(top, "keep"), 5900)


if __name__ == "__main__":
    unittest.main()
