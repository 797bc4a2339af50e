# SPDX-License-Identifier: MIT
"""Names of functions that a trace has no room for: every report has them whole, and no two are mixed up."""

import base64
import csv
import gzip
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
# The numbers of the types in the names: "N" stands for that of the function, in their middle.
SOME = [1000, 1001, 1002, "N", *range(1003, 1010)]
MANY = [*range(2000, 2080, 10), "N", *range(2080, 2160, 10)]
PROGRAM = r"""
#include <cstdlib>
template <int Number, class... Parts> struct pack { int unused; };
template <class Type> struct visitor {
  [[gnu::noinline]] static void* grow(std::size_t size) { return std::malloc(size); }
};
template <int N> using first = pack<N, int, long, short>;
template <int N> using some = pack<N, @SOME@>;
template <int N> using many = pack<N, @MANY@>;
int main() {
  for (int i = 0; i < 1000; ++i) {
    std::free(visitor<some<3000>>::grow(92));
    std::free(visitor<some<3100>>::grow(192));
    std::free(visitor<many<4000>>::grow(292));
    std::free(visitor<many<4100>>::grow(392));
  }
}
""".replace("@SOME@", ", ".join(f"first<{n}>" for n in SOME)).replace("@MANY@", ", ".join(f"some<{n}>" for n in MANY))


def memprof(*arguments, environment=None):
    run = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False,
                         env={**os.environ, **(environment or {})})
    assert run.returncode == 0, run.stderr
    return run.stdout


def pack(number, parts, part):
    return f"pack<{number}, {', '.join(part(number if p == 'N' else p) for p in parts)}>"


def first(number):
    return f"pack<{number}, int, long, short>"


def some(number):
    return pack(number, SOME, first)


def many(number):
    return pack(number, MANY, some)


def grow(type_name):
    return f"visitor<{type_name}>::grow"


# Exact at rate 1: so many bytes, counted with a header each.
WANTED = {grow(some(3000)): 104_000, grow(some(3100)): 200_000, grow(many(4000)): 304_000,
          grow(many(4100)): 400_000}


def setUpModule():
    global program
    program = compiled(PROGRAM)


class LongNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        self.trace = self.here / "a.ctf"
        memprof("record", "-q", "-o", self.trace, "--rate", "1", "--", program)

    def functions(self, trace, *options):
        rows = json.loads(memprof("top", "--json", "-n", "0", *options, trace))["rows"]
        return {row["name"]: row["self"]["allocated"]["bytes"] for row in rows if "grow" in row["name"]}

    def test_lengths(self):
        self.assertGreater(min(map(len, WANTED)), 320)
        self.assertGreater(len(grow(many(4000))), 4096)

    def test_every_report_has_them_whole(self):
        self.assertEqual(self.functions(self.trace), WANTED)
        self.assertEqual(self.functions(self.trace, "--function", "=" + grow(many(4100))), {grow(many(4100)): 400_000})
        self.assertEqual(self.functions(self.trace, "--no-symbols"), WANTED)
        tree = json.loads(memprof("tree", "--json", self.trace))["nodes"]
        self.assertEqual({n["function"] for n in tree if "grow" in n["function"]}, set(WANTED))
        for command in ("flamegraph", "dump"):
            text = memprof(command, self.trace)
            for name in WANTED:
                self.assertIn(name, text)
        table = csv.DictReader(io.StringIO(memprof("convert", "--to", "csv", self.trace)))
        self.assertEqual({f for row in table for f in row["stack"].split(";") if "grow" in f}, set(WANTED))
        profile = self.here / "a.pb.gz"
        memprof("convert", "--to", "pprof", "-o", profile, self.trace)
        data = gzip.decompress(profile.read_bytes())
        for name in WANTED:
            self.assertIn(name.encode(), data)

    def test_the_page_has_them_whole(self):
        page = self.here / "a.html"
        run = subprocess.run([COMMAND, "serve", self.trace, "--html", page, "--no-sources"],
                             capture_output=True, text=True, check=False)
        if "built without the page" in run.stderr:
            self.skipTest("built without the page")
        self.assertEqual(run.returncode, 0, run.stderr)
        found = re.search(r'id="memprof-data"[^>]*>([^<]*)<', page.read_text(encoding="utf-8"))
        index = gzip.decompress(base64.b64decode(found[1]))
        functions = json.loads(index[16:16 + int.from_bytes(index[8:16], "little")])["functions"]
        self.assertEqual({f for f in functions if "grow" in f}, set(WANTED))

    def test_the_report_for_people(self):
        text = memprof("top", self.trace, environment={"COLUMNS": "100"})
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertNotIn("#", text)
        self.assertNotIn("_Z", text)
        self.assertEqual(len(re.findall(r"visitor(<\.\.\.>|‹…›)::grow", text)), 4, text)
        text = memprof("top", "--full-names", self.trace)
        for name in WANTED:
            self.assertIn(name, text)

    def test_copies_keep_them(self):
        for command in (["convert", "--to", "memtrace"], ["repair"], ["symbolize"]):
            copy = self.here / "copy.ctf"
            memprof(*command, "-f", "-o", copy, self.trace)
            self.assertEqual(self.functions(copy), WANTED, command)
        memprof("anonymize", "--keep-backtraces", "-f", "-o", copy, self.trace)
        self.assertNotIn(b"visitor", copy.read_bytes())


if __name__ == "__main__":
    unittest.main()
