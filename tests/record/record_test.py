# SPDX-License-Identifier: MIT
"""`memprof record` as a command: files, options, exit status, signals, what cannot be traced."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>
__attribute__((noinline)) void fill_the_cache(std::vector<std::string>& cache) {
  for (int i = 0; i < 20000; ++i) cache.emplace_back(1000, 'x');
}
int main(int argc, char** argv) {
  std::vector<std::string> cache;
  fill_the_cache(cache);
  std::puts("done");
  std::fflush(stdout);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "exit") return std::atoi(argv[2]);
  if (what == "crash") { sleep(1); std::abort(); }
  if (what == "wait") pause();
  if (what == "leave") {  // a child that goes on
    const pid_t first = getpid();
    if (fork() != 0) return 0;
    while (getppid() == first) usleep(1000);
    std::puts("left");
    std::fflush(stdout);
    pause();
  }
  if (what == "exec") execvp(argv[2], argv + 2);
  if (what == "environment") std::puts(getenv("MEMTRACE"));
  return 0;
}
"""


def setUpModule():
    global folder, program
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-record-"))
    source = folder / "program.cpp"
    source.write_text(PROGRAM)
    program = str(folder / "program")
    subprocess.run([os.environ["CXX"], "-g", "-O1", str(source), "-o", program], check=True)


def tearDownModule():
    subprocess.run(["rm", "-rf", str(folder)], check=True)


class Record(unittest.TestCase):
    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=folder))

    def record(self, *arguments, command=(), **settings):
        return subprocess.run([COMMAND, "record", *arguments, "--", *(command or (program,))],
                              cwd=self.here, text=True, capture_output=True, timeout=100,
                              env={**os.environ, "MEMTRACE_RATE": "", **settings})

    def files(self):
        return sorted(p.name for p in self.here.iterdir())

    def events(self, result):
        found = re.search(r"(\d+) events, (\d+) samples", result.stderr)
        self.assertIsNotNone(found, result.stderr)
        return int(found[1]), int(found[2])

    def test_default_name_summary_and_symbols(self):
        result = self.record("--rate", "1e-3", "--context", "a test")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "done\n")
        self.assertRegex(" ".join(self.files()), r"^memprof\.program\.\d+\.ctf$")
        events, samples = self.events(result)
        # 20000 strings of 1001 bytes and the vector: 2.6 million words at the least
        self.assertGreater(samples, 2000)
        trace = (self.here / self.files()[0]).read_bytes()
        self.assertIn(b"fill_the_cache", trace)
        self.assertIn(b"a test\0", trace)
        self.assertEqual((self.here / self.files()[0]).stat().st_mode & 0o777, 0o600)

    def test_top_names_who_allocates_not_the_allocator(self):
        self.assertEqual(self.record("--rate", "1e-3", "-o", "a.ctf").returncode, 0)
        tables = []
        for options in ((), ("--all-frames",)):
            top = subprocess.run([COMMAND, "top", "--json", "-n", "0", "--sort", "total", *options, "a.ctf"],
                                 cwd=self.here, capture_output=True, text=True, check=True).stdout
            tables.append(json.loads(top))
        self.assertEqual(tables[0]["all"], tables[1]["all"])
        plumbing = re.compile(r"operator new|::allocate($|\()|^malloc")
        shown, all_shown = ([row["name"] for row in table["rows"]] for table in tables)
        self.assertFalse(any(map(plumbing.search, shown)), shown)
        self.assertTrue(any(map(plumbing.search, all_shown)), all_shown)
        for names in (shown, all_shown):
            self.assertTrue(any("fill_the_cache" in name for name in names), names)
        # Nothing is lost: what the allocator's functions had counts for who called them.
        self.assertEqual(*(sum(row["self"]["allocated"]["samples"] for row in table["rows"])
                           for table in tables))

    @unittest.skipUnless(os.environ.get("MEMPROF_QUICK_START"), "the examples are not built")
    def test_limits_of_a_program_that_is_linked_with_us(self):
        # Two copies of the library: the program's has the limits, the preloaded one the trace.
        result = subprocess.run([COMMAND, "record", "-o", "a.ctf", "--", os.environ["MEMPROF_QUICK_START"]],
                                cwd=self.here, input="(1+x)^9\n(a+b+c+d+e+f+g+h)^40\n", text=True,
                                capture_output=True, check=True, timeout=100)
        self.assertIn("allocations limit of 200 MiB reached", result.stdout)
        report = json.loads(subprocess.run([COMMAND, "top", "--json", "a.ctf"], cwd=self.here, text=True,
                                           capture_output=True, check=True).stdout)
        limits = [(i["limit"], i["allowed"]) for i in report["interrupts"]]
        self.assertEqual(limits, [("allocations", 200 * 1024 * 1024)])

    def test_limits_of_a_program_with_core_alone(self):
        # One copy of the library works for both: the preloaded one.
        result = subprocess.run([COMMAND, "record", "-o", "a.ctf", "--", os.environ["MEMPROF_CORE_LIMIT"]],
                                cwd=self.here, text=True, capture_output=True, check=True, timeout=100)
        self.assertIn("memory limit of 1 MiB reached", result.stdout)
        report = json.loads(subprocess.run([COMMAND, "top", "--json", "a.ctf"], cwd=self.here, text=True,
                                           capture_output=True, check=True).stdout)
        limits = [(i["limit"], i["allowed"]) for i in report["interrupts"]]
        self.assertEqual(limits, [("memory", 1024 * 1024)])

    @unittest.skipUnless(os.environ.get("MEMPROF_LINKED"), "the library is not built")
    def test_no_frame_of_ours_in_a_program_that_is_linked_with_us(self):
        # Every way in that has slow paths of its own, at rates at which each is sampled: the program's own
        # samples (1e-3) take these paths while the preloaded library samples, too.
        source = self.here / "linked.cpp"
        source.write_text(r"""
            #include <cstdlib>
            #include <new>
            void* kept[4];
            __attribute__((noinline)) void work(int i) {
              const std::size_t n = 100 + i % 5000;
              kept[0] = ::operator new(n);
              kept[1] = ::operator new(n, std::nothrow);
              kept[2] = std::malloc(n);
              kept[3] = std::calloc(1, n);
              kept[2] = std::realloc(kept[2], n + n / 2);
              ::operator delete(kept[0]);
              ::operator delete(kept[1]);
              std::free(kept[2]);
              std::free(kept[3]);
              kept[0] = nullptr;
            }
            int main() { for (int i = 0; i < 20000; ++i) work(i); }
            """)
        for optimisation in ("-O0", "-O2"):
            subprocess.run([os.environ["CXX"], "-g", optimisation, str(source), "-o", "linked",
                            "-Wl,-u,memprof_override_anchor", *os.environ["MEMPROF_LINKED"].split(), "-ldl"],
                           cwd=self.here, check=True)
            result = self.record("-o", "a.ctf", "-f", "--rate", "1e-3", command=("./linked",),
                                 MEMPROF_RATE="1e-2")
            self.assertEqual(result.returncode, 0, result.stderr)
            text = subprocess.run([COMMAND, "dump", "a.ctf"], cwd=self.here, text=True, capture_output=True,
                                  check=True).stdout
            ours = {name for name in re.findall(r"(\S+)@", text)
                    if re.search("memprof|_slow|new_block|place_in|^new$", name)}
            self.assertEqual(ours, set())
            self.assertGreater(text.count(" work@"), 10000)

    def test_large_blocks_of_a_program_that_is_linked_with_us(self):
        # Nearly each of them is sampled by the program's copy, too, at its default rate.
        source = self.here / "large.cpp"
        source.write_text(r"""
            #include <cstdlib>
            void* kept[64];
            int main() { for (void*& k : kept) k = std::malloc(10 << 20); }
            """)
        subprocess.run([os.environ["CXX"], str(source), "-o", "large", "-Wl,-u,memprof_override_anchor",
                        *os.environ["MEMPROF_LINKED"].split(), "-ldl"], cwd=self.here, check=True)
        result = self.record("-o", "a.ctf", "-q", "--rate", "1e-4", command=("./large",))
        self.assertEqual(result.returncode, 0, result.stderr)
        top = subprocess.run([COMMAND, "top", "--json", "a.ctf"], cwd=self.here, text=True, capture_output=True,
                             check=True).stdout
        # 8389 samples, with a standard deviation of 92: 700 are 7.6 of them, 3e-14.
        self.assertAlmostEqual(json.loads(top)["all"]["in_use_at_end"]["samples"], 640 / 8 * 2**20 * 1e-4, delta=700)

    def test_no_symbols_and_quiet(self):
        result = self.record("-o", "a.ctf", "--rate", "1e-3", "--no-symbols", "--quiet")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        trace = (self.here / "a.ctf").read_bytes()
        self.assertIn(b"program+0x", trace)
        self.assertNotIn(b"fill_the_cache", trace)

    def test_does_not_overwrite(self):
        (self.here / "a.ctf").write_text("mine")
        result = self.record("-o", "a.ctf")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("--force", result.stderr)
        self.assertEqual((self.here / "a.ctf").read_text(), "mine")
        self.assertEqual(self.record("-o", "a.ctf", "-f", "--rate", "1e-3").returncode, 0)
        self.assertEqual(self.files(), ["a.ctf"])
        self.assertNotEqual((self.here / "a.ctf").read_bytes(), b"mine")

    def test_unwritable(self):
        result = self.record("-o", "none/a.ctf")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("none/a.ctf", result.stderr)

    def test_usage(self):
        for arguments in (["--rate", "0"], ["--rate", "2"], ["--rate", "x"], ["--nonsense"]):
            self.assertEqual(self.record(*arguments).returncode, 2, arguments)
        nothing = subprocess.run([COMMAND, "record"], capture_output=True, text=True)
        self.assertEqual(nothing.returncode, 2)

    def test_options_behind_the_program_are_its_own(self):
        for command in (["record", "-o", "a.ctf", "-f", "--rate=1e-3"], ["run", "-q", "--memory", "1GiB"]):
            for separator in ([], ["--"]):
                result = subprocess.run([COMMAND, *command, *separator, "sh", "-c", "echo $0 $*", "--rate", "--", "-q"],
                                        capture_output=True, text=True, cwd=self.here)
                self.assertEqual((result.returncode, result.stdout), (0, "--rate -- -q\n"), result.stderr)

    def test_exit_status(self):
        self.assertEqual(self.record("-q", command=(program, "exit", "7")).returncode, 7)
        missing = self.record(command=("no-such-program-here",))
        self.assertEqual(missing.returncode, 127)
        self.assertIn("no-such-program-here", missing.stderr)
        data = self.here / "data"
        data.write_text("x")
        self.assertEqual(self.record(command=(str(data),)).returncode, 126)

    def test_crash_keeps_the_trace(self):
        result = self.record("-o", "a.ctf", "--rate", "1e-3", command=(program, "crash"))
        self.assertEqual(result.returncode, 128 + signal.SIGABRT)
        self.assertIn("signal 6", result.stderr)
        self.assertEqual(self.files(), ["a.ctf"])
        self.assertGreater(self.events(result)[1], 1000)

    def test_signals_are_passed_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with subprocess.Popen([COMMAND, "record", "-f", "-o", "a.ctf", "--rate", "1e-3", "--",
                                   program, "wait"], cwd=self.here, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
                self.assertEqual(running.stdout.readline(), "done\n")
                time.sleep(0.7)
                running.send_signal(number)
                self.assertEqual(running.wait(60), 128 + number)
                self.assertIn("samples", running.stderr.read())

    def test_a_signal_that_ends_the_children_ends_the_recording(self):
        """As from a terminal: to all at once. Two times of eight it ended the recorder without its traces."""
        for _ in range(12):
            with subprocess.Popen([COMMAND, "record", "--children", "-f", "-o", "a.ctf", "--rate", "1e-3", "--", program,
                                   "leave"], cwd=self.here, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  start_new_session=True) as running:
                self.assertEqual([running.stdout.readline(), running.stdout.readline()], ["done\n", "left\n"])
                time.sleep(0.3)  # now it waits for the child
                os.killpg(running.pid, signal.SIGINT)
                said = running.communicate(timeout=60)[1]
                self.assertEqual(running.returncode, 0, said)
                self.assertIn("samples", said)

    def test_executed_program_is_traced_in_its_place(self):
        result = self.record("-o", "a.ctf", "--rate", "1", command=(program, "exec", program))
        self.assertEqual((result.returncode, result.stdout), (0, "done\ndone\n"))
        self.assertEqual(self.files(), ["a.ctf"])
        self.assertGreater(self.events(result)[0], 20000)

    def test_children(self):
        script = f"{program}; {program} exit 3; exit 4"
        alone = self.record("-o", "a.ctf", "--rate", "1e-2", command=("sh", "-c", script))
        self.assertEqual(alone.returncode, 4)
        self.assertEqual(self.files(), ["a.ctf"])
        self.assertLess(self.events(alone)[1], 10000)
        every = self.record("-o", "c.ctf", "--children", "--rate", "1e-2",
                            command=("sh", "-c", script))
        self.assertEqual(every.returncode, 4)
        self.assertEqual(every.stdout, "done\ndone\n")
        large = [name for name in self.files() if re.fullmatch(r"c\.\d+\.ctf", name)
                 and (self.here / name).stat().st_size > 100_000]
        self.assertEqual(len(large), 2, self.files())
        self.assertFalse([name for name in self.files() if "part" in name])

    def test_more_processes_than_can_be_traced_at_once(self):
        script = "for i in $(seq 160); do sleep 60 & done; read line; kill $(jobs -p); wait; true"
        with subprocess.Popen([COMMAND, "record", "--children", "-o", "many.ctf", "--", "bash", "-c", script],
                              cwd=self.here, text=True, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            # Said while all of them run, not when they have ended.
            first = run.stderr.readline()
            output = run.communicate("\n", timeout=60)[1]
        self.assertEqual(first, "memprof: more processes run at once than can be traced: the others are not\n")
        self.assertRegex(output, r"processes were not traced: too many ran at once")
        self.assertEqual(run.returncode, 0)

    def test_environment(self):
        result = self.record("-o", "a.ctf", command=(program, "environment"))
        self.assertEqual(result.stdout, "done\n\n")

    def test_scripts_and_pipes(self):
        script = self.here / "script"
        script.write_text("#!/bin/sh\nread line; echo \"got $line\"; exit 9\n")
        script.chmod(0o755)
        result = subprocess.run([COMMAND, "record", "-q", "--", str(script)], cwd=self.here,
                                input="text\n", text=True, capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (9, "got text\n", ""))

    def test_static_program_is_refused(self):
        source = self.here / "static.cpp"
        source.write_text("int main() { return 0; }")
        linked = subprocess.run([os.environ["CXX"], "-static", str(source), "-o",
                                 str(self.here / "static")], capture_output=True)
        if linked.returncode != 0:
            self.skipTest("no static C library")
        result = self.record(command=("./static",))
        self.assertEqual(result.returncode, 126)
        self.assertIn("statically linked", result.stderr)
        self.assertIn("memprof::static", result.stderr)

    def test_program_for_musl_is_refused(self):
        source = self.here / "musl.cpp"
        source.write_text("int main() {}")
        subprocess.run([os.environ["CXX"], str(source), "-o", str(self.here / "musl"),
                        "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"], check=True)
        result = self.record(command=("./musl",))
        self.assertEqual((result.returncode, result.stdout), (126, ""))
        self.assertIn("it is built for musl, and memprof for glibc", result.stderr)

    def test_own_malloc_is_said(self):
        source = self.here / "own.cpp"
        source.write_text(r"""
#include <cstddef>
static char heap[1 << 20];
static size_t used;
extern "C" void* malloc(size_t n) { used = (used + 15) & ~size_t{15}; used += n; return heap + used - n; }
extern "C" void free(void*) {}
extern "C" void* calloc(size_t n, size_t m) { return malloc(n * m); }
extern "C" void* realloc(void*, size_t n) { return malloc(n); }
int main() { return malloc(1000) == nullptr; }
""")
        subprocess.run([os.environ["CXX"], "-fno-builtin", str(source), "-o", str(self.here / "own")], check=True)
        result = self.record("--rate", "1", command=("./own",))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("./own has a malloc of its own", result.stderr)
        self.assertNotIn("malloc of its own", self.record().stderr)
        if "MEMPROF_QUICK_START" in os.environ:  # its malloc is ours
            self.assertNotIn("malloc of its own", self.record(command=(os.environ["MEMPROF_QUICK_START"],)).stderr)

    def test_what_to_do_next(self):
        result = self.record("-o", "a trace.ctf", "--rate", "1e-3")
        self.assertIn("next: memprof top 'a trace.ctf', or in a browser: memprof serve 'a trace.ctf'\n", result.stderr)
        self.assertNotIn("--rate", result.stderr)
        # 20 MB and the vector are 3 million words: 30 samples at 1e-5, 300 at ten times as many.
        result = self.record("-f", "-o", "a.ctf", "--rate", "1e-5", MEMPROF_SEED="1")
        found = re.search(r"(\d+) samples \(\+-(\d+) %\)[^:]*: --rate (\S+) would take some ([\d,]+)\n", result.stderr)
        self.assertIsNotNone(found, result.stderr)
        self.assertEqual(int(found[1]), self.events(result)[1])
        rate = float(found[3])
        self.assertAlmostEqual(int(found[4].replace(",", "")), int(found[1]) * rate / 1e-5, delta=1)
        self.assertTrue(1e-4 <= rate <= 1e-3, rate)
        result = self.record("-f", "-o", "a.ctf", "--rate", "1e-9", MEMPROF_SEED="1")
        self.assertIn("no block was sampled: it allocated less than 27.5 GiB, with 95 %; --rate 1e-6 shows more",
                      result.stderr)
        self.assertNotIn("next:", result.stderr)

    def test_option_like_arguments_belong_to_the_program(self):
        result = subprocess.run([COMMAND, "record", "-q", "-o", "a.ctf", "--", "echo", "-o", "--rate", "x"],
                                cwd=self.here, text=True, capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (0, "-o --rate x\n"))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
