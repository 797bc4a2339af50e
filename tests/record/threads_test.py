# SPDX-License-Identifier: MIT
"""Which thread allocated: recorded from outside, by MEMTRACE, and in reports. Random: the sampled amounts are
compared at 6.2 standard deviations (a correct sampler fails once in 1e9)."""

import collections
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
PRELOAD = os.environ["MEMPROF_PRELOAD"]
# Thread k of the first four allocates k MiB in blocks of 64 bytes and frees them; "many" begins threads one after
# another, whose ids come again, until there were 5000.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <unistd.h>
[[gnu::noinline]] static void* take(std::size_t size) { return std::malloc(size); }
[[gnu::noinline]] static void work(std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / 72; ++i) std::free(take(64));
}
static void named(int k) {
  char name[16];
  std::snprintf(name, sizeof name, k < 3 ? "worker-%d" : "twins", k);
  pthread_setname_np(pthread_self(), name);
  work(std::size_t(k) << 20);
}
int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "many") == 0) {
    for (int i = 0; i < 5000; ++i) {
      std::thread([i] {
        char name[16];
        std::snprintf(name, sizeof name, i % 2 == 0 ? "job %d" : "request-%d", i);
        pthread_setname_np(pthread_self(), name);
        work(1440);
      }).join();
    }
    return 0;
  }
  work(8u << 20);
  std::thread threads[] = {std::thread(named, 1), std::thread(named, 2), std::thread(named, 3),
                           std::thread(named, 4)};
  for (auto& t : threads) t.join();
  if (argc > 1 && std::strcmp(argv[1], "execute") == 0) return execl("/proc/self/exe", "again", nullptr);
}
"""


def setUpModule():
    global program
    program = compiled(PROGRAM)


def memprof(*arguments):
    run = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def rows(trace, *options):
    report = json.loads(memprof("top", "--json", "-n", "0", *options, trace))
    return {row["name"]: row["self"]["allocated"] for row in report["rows"]}


class Threads(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = pathlib.Path(folder.name) / "a.ctf"

    def recorded(self, how, *arguments, rate="0.01"):
        if how == "record":
            memprof("record", "-q", "-o", self.trace, "--rate", rate, "--", program, *arguments)
        else:
            subprocess.run([program, *arguments], check=True, env={
                **os.environ, "LD_PRELOAD": PRELOAD, "MEMTRACE": str(self.trace), "MEMTRACE_RATE": rate})

    def test_amounts(self):
        for how in ("record", "MEMTRACE"):
            with self.subTest(how):
                self.trace.unlink(missing_ok=True)
                self.recorded(how)
                found = rows(self.trace, "--by", "thread")
                names = sorted(found)
                self.assertEqual(len(names), 5, names)
                self.assertEqual(names[0], "program (main)")
                self.assertRegex(names[1], r"^twins \d+$")
                self.assertRegex(names[2], r"^twins \d+$")
                self.assertEqual(names[3:], ["worker-1", "worker-2"])
                twins = sorted((found[n]["bytes"] for n in names if n.startswith("twins")))
                for name, mebibytes, bytes_ in [("program (main)", 8, None), ("worker-1", 1, None),
                                                ("worker-2", 2, None), ("twins", 3, twins[0]),
                                                ("twins", 4, twins[1])]:
                    whole = mebibytes << 20
                    # The words of n bytes are binomial: variance n / 8 * (1 - p) / p samples of S words.
                    deviation = 8 * (whole / 8 * 0.99 / 0.01) ** 0.5
                    # Threads allocate a little beside: their starts, 1 KiB at most.
                    self.assertAlmostEqual(bytes_ or found[name]["bytes"], whole, delta=6.2 * deviation + 2048)

    def test_chosen_and_split(self):
        self.recorded("record")
        chosen = rows(self.trace, "--thread", "worker")
        by_thread = rows(self.trace, "--by", "thread")
        self.assertEqual(sum(a["samples"] for a in chosen.values()),
                         by_thread["worker-1"]["samples"] + by_thread["worker-2"]["samples"])
        self.assertEqual(list(rows(self.trace, "--by", "thread", "--thread", "=worker-2")), ["worker-2"])
        tree = memprof("tree", "--by-thread", "--depth", "2", self.trace)
        self.assertRegex(tree, r"(?m)^\d.*  worker-2$")
        folded = memprof("flamegraph", "--by-thread", self.trace)
        self.assertRegex(folded, r"(?m)^worker-1;.*work;take")
        # No pattern of functions means a thread.
        self.assertEqual(rows(self.trace, "--by", "thread", "--function", "worker"), {})
        for command in (["convert", "--to", "memtrace"], ["anonymize", "--keep-backtraces"]):
            copy = self.trace.with_name("copy.ctf")
            memprof(*command, "-o", copy, "-f", self.trace)
            copied = rows(copy, "--by", "thread")
            self.assertEqual(sorted(a["samples"] for a in copied.values()),
                             sorted(a["samples"] for a in by_thread.values()))
            self.assertEqual(command[0] == "anonymize", "worker-1" not in copied)

    def test_events_have_their_threads(self):
        self.recorded("record")
        by_thread = {name: a["samples"] for name, a in rows(self.trace, "--by", "thread", "--all-frames").items()}
        # Twins have one name, and a number each.
        names = collections.Counter()
        for name, samples in by_thread.items():
            names[re.sub(r" (\(main\)|\d+)$", "", name)] += samples
        table = csv.DictReader(io.StringIO(memprof("convert", "--to", "csv", self.trace)))
        of_csv, numbers = collections.Counter(), collections.Counter()
        for row in table:
            if row["event"] == "allocation":
                of_csv[row["thread_name"]] += int(row["samples"])
                numbers[int(row["thread"])] += int(row["samples"])
            else:
                self.assertEqual(row["thread"] + row["thread_name"], "")
        self.assertEqual(of_csv, names)
        self.assertEqual(sorted(numbers.values()), sorted(by_thread.values()))
        document = json.loads(memprof("convert", "--to", "json", self.trace))
        of_json = collections.Counter()
        for event in document["events"]:
            if event["event"] == "allocation":
                of_json[document["threads"][str(event["thread"])]["name"]] += event["samples"]
        self.assertEqual(of_json, names)
        of_dump, known = collections.Counter(), {}
        for line in map(json.loads, memprof("dump", "--json", self.trace).splitlines()):
            if line.get("kind") == "thread":
                known[line["thread"]] = line["name"]
            elif line.get("kind") == "allocation":
                of_dump[line["thread"]] += line["samples"]
        self.assertEqual(of_dump, numbers)
        self.assertEqual(sorted(known.values()), ["program", "twins", "twins", "worker-1", "worker-2"])
        text = memprof("dump", self.trace)
        self.assertRegex(text, r"(?m)^\d+ \d+ alloc \d+ len=8 dom=0 thread=\d+ \(worker-2\) +-?\d+: ")

    def test_five_thousand(self):
        for how in ("record", "MEMTRACE"):
            with self.subTest(how):
                self.trace.unlink(missing_ok=True)
                self.recorded(how, "many", rate="0.02")
                found = rows(self.trace, "--by", "thread")
                self.assertLessEqual(len(found), 64)
                counted = {re.sub(r", \d+ threads", "", name): int(m[1]) for name in found
                           if (m := re.search(r", (\d+) threads", name))}
                # A thread has 18 * 10 words in 20 blocks: no sample has it in (1 - 0.02)^180 = 2.6 % of them.
                for name in ("job #", "request-#"):
                    self.assertGreater(counted[name], 2300, found)
                    self.assertLessEqual(counted[name], 2500)
                self.assertLess(self.trace.stat().st_size, 5000 * 200)

    def test_a_program_that_executes_another(self):
        self.recorded("record", "execute")
        found = rows(self.trace, "--by", "thread")
        self.assertEqual(len([n for n in found if n.startswith("worker-1 ")]), 2, list(found))

    def test_a_trace_without_threads(self):
        trace = pathlib.Path(__file__).parents[1] / "data" / "traces" / "leaky.ctf"
        run = subprocess.run([COMMAND, "top", "--by", "thread", trace], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("does not say which thread allocated", run.stderr)


if __name__ == "__main__":
    unittest.main()
