# SPDX-License-Identifier: MIT
"""No report shows a frame of ours: of programs that are linked with the library, that have it preloaded, or both; with
all debug information, with line tables only, or with symbols alone. The tasks of limit functions, the user's lambdas,
are shown."""

import base64
import gzip
import json
import os
import pathlib
import re
import subprocess
import unittest

from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
OURS = re.compile(r"memprof|\b(std::)?_*invoke(_impl)?\b|erased_task|run_(plain|counted|limited|erased)|\blimit_\w+<"
                  r"|(new|malloc)_slow|scope_request")
# clang names a lambda in_memory::$_0::operator(), and with lines alone (-g1) every one operator(), without its scope.
CLANG = "clang" in os.path.basename(os.environ["CXX"])
LAMBDA = re.compile(r"\$_\d|^operator\(\)$" if CLANG else "lambda")
PROGRAM = r"""
#include <chrono>
#include <cstdlib>
#include <memprof/memprof.hpp>
#include <memprof/poisonable.hpp>
using namespace memprof::literals;
static void* volatile kept;
#define CASE(NAME, CALL) [[gnu::noinline]] static void NAME(int n) { \
    auto task = [n] { for (int i = 0; i < n; ++i) kept = std::malloc(200); }; CALL; }
CASE(in_allocations, (void)memprof::limit_allocations(1_GiB, task))
CASE(in_memory, (void)memprof::limit_memory(1_GiB, task))
CASE(in_global, (void)memprof::limit_global_memory(task))
CASE(in_token, (void)memprof::limit_with_token(memprof::token{}, task))
CASE(in_time, (void)memprof::limit_time(std::chrono::seconds(100), task))
CASE(in_limits, (void)memprof::run_limited(memprof::limits{.memory = 1_GiB}, task))
CASE(in_value, (void)memprof::limit_memory(1_GiB, [&] { task(); return n; }))
[[gnu::noinline]] static void in_new(int n) { for (int i = 0; i < n; ++i) kept = ::operator new(200); }
int main() {
  static_cast<void>(memprof::trace_if_requested());
  for (auto* f : {in_allocations, in_memory, in_global, in_token, in_time, in_limits, in_value, in_new}) f(1000);
}
"""
CASES = ("allocations", "memory", "global", "token", "time", "limits", "value", "new")
KINDS = {"all": ("-O2", "-g"), "lines": ("-O2", "-g1"), "symbols": ("-O2", "-g0"), "not optimised": ("-O0", "-g")}


def report(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True).stdout


class OwnFrames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        both = os.environ["MEMPROF_LINKED"].split()
        cls.programs = {(how, kind): compiled(PROGRAM, "-std=c++23", f"-I{ROOT / 'include'}", *flags, *libraries,
                                              name=how)
                        for kind, flags in KINDS.items() for how, libraries in (("linked", both), ("core", both[1:]))}

    def check_names(self, trace, kind):
        page = trace.with_suffix(".html")
        report("serve", str(trace), "--html", str(page), "--no-sources")
        data = re.search(r'id="memprof-data"[^>]*>([^<]*)<', page.read_text(encoding="utf-8"))[1]
        index = gzip.decompress(base64.b64decode(data))
        head = json.loads(index[16:16 + int.from_bytes(index[8:16], "little")])
        tree = [n["function"] for n in json.loads(report("tree", "--all-frames", "--json", str(trace)))["nodes"]]
        speedscope = json.loads(report("convert", "--to", "speedscope", str(trace)))
        names = {
            "top": [r["name"] for r in json.loads(report("top", "--all-frames", "--json", "-n", "0", "--sort", "total", str(trace)))["rows"]],
            "sites": [r["function"] for r in json.loads(report("stats", "--json", str(trace)))["sites"]],
            "tree": tree,
            "page": head["functions"],
            "folded": re.split(r"[;\n]", report("convert", "--to", "folded", str(trace))),
            "speedscope": [f["name"] for f in speedscope["shared"]["frames"]]}
        for where, found in names.items():
            self.assertEqual([n for n in found if OURS.search(n)], [], where)
            for case in CASES if where != "sites" else ():
                self.assertTrue(any(f"in_{case}" in n for n in found), f"{case} is not in {where}: {set(found)}")
        lambdas = {n for n in names["tree"] if LAMBDA.search(n)}
        self.assertGreaterEqual(len(lambdas), 1 if CLANG and kind == "lines" else len(CASES) - 1,
                                f"{kind}: {set(tree)}")
        rows = {r["name"]: r["self"]["allocated"]["samples"]
                for r in json.loads(report("top", "--json", "-n", "0", str(trace)))["rows"]}
        # At rate 1. Not who asks for the limit allocates, but the task; what a token or a limit itself takes is little.
        by_lambdas = sum(n for name, n in rows.items() if LAMBDA.search(name))
        by_others = sum(n for name, n in rows.items() if not LAMBDA.search(name) and name != "in_new")
        self.assertLess(by_others, by_lambdas // 20, rows)

    def run_recorded(self, how):
        for kind in KINDS:
            with self.subTest(kind):
                program = self.programs[how, kind]
                trace = program.with_suffix(".recorded.ctf")
                subprocess.run([COMMAND, "record", "-q", "--rate", "1", "-o", str(trace), "--", str(program)], check=True)
                self.check_names(trace, kind)

    def test_linked_and_preloaded(self):
        self.run_recorded("linked")

    def test_preloaded(self):
        self.run_recorded("core")

    def test_linked(self):
        for kind in KINDS:
            with self.subTest(kind):
                program = self.programs["linked", kind]
                trace = program.with_suffix(".traced.ctf")
                subprocess.run([str(program)], check=True,
                               env={**os.environ, "MEMTRACE": str(trace), "MEMTRACE_RATE": "1"})
                self.check_names(trace, kind)


if __name__ == "__main__":
    unittest.main()
