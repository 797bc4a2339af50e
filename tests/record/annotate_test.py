# SPDX-License-Identifier: MIT
"""`memprof annotate`: source lines of a function with what each allocates, of a program whose amounts are known."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
PROGRAM = r"""#include <cstdlib>
#include <cstring>
static void* kept[1000];
__attribute__((noinline)) void* block(unsigned long size) {
  void* const p = malloc(size);
  memset(p, 1, size);
  return p;
}
__attribute__((noinline)) void handle(int i) {
	kept[i] = block(792);  // a tab before it
  free(block(7992));

  if (i == 5) kept[999] = block(79992);
}
int main() {
  for (int i = 0; i < 100; ++i) handle(i);
}
"""
# Blocks count a word more than asked for; handle has them on these lines.
LINES = {10: 100 * 800, 11: 100 * 8000, 13: 80000}
IN_USE = {10: 100 * 800, 11: 0, 13: 80000}


class Annotate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-annotate-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        source = cls.folder / "program.cpp"
        source.write_text(PROGRAM, encoding="utf-8")
        subprocess.run([os.environ["CXX"], "-g", "-O1", "-fno-optimize-sibling-calls", str(source), "-o", "program"],
                       cwd=cls.folder, check=True)
        subprocess.run([COMMAND, "record", "-q", "--rate", "1", "-o", "a.ctf", "--", "./program"],
                       cwd=cls.folder, check=True)

    def annotate(self, *arguments, **environment):
        return subprocess.run([COMMAND, "annotate", *arguments], cwd=self.folder, capture_output=True, text=True,
                              check=False, env={**os.environ, **environment})

    def functions(self, *arguments):
        result = self.annotate(*arguments, "a.ctf", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["functions"]

    def test_amounts_of_lines(self):
        (handle,) = self.functions("handle")
        self.assertEqual(handle["file"], str(self.folder / "program.cpp"))
        self.assertEqual(handle["allocated"]["bytes"], sum(LINES.values()))
        self.assertEqual({line["line"]: line["allocated"]["bytes"] for line in handle["lines"]}, LINES)
        self.assertEqual({line["line"]: line["in_use_at_end"]["bytes"] for line in handle["lines"]}, IN_USE)
        self.assertEqual([line["text"] for line in handle["lines"]],
                         [PROGRAM.splitlines()[n - 1] for n in LINES])
        (held,) = self.functions("handle", "--live-at-end")
        self.assertEqual([line["line"] for line in held["lines"]], [10, 13])

    def test_text(self):
        text = self.annotate("=handle", "--context", "1", "a.ctf").stdout
        self.assertRegex(text, r"\n *78\.1 KiB +exact +78\.1 KiB +exact +10 +kept\[i\] = block\(792\);  // a tab before")
        self.assertRegex(text, r"\n *781 KiB +exact +0 B +11  +free\(block\(7992\)\);\n +12\n")
        self.assertRegex(text, r"\n +14  }\n")
        self.assertNotIn("int main", text)
        lines = self.annotate("=handle", "--context", "1", "a.ctf", COLUMNS="80").stdout.split("\n\n")[2]
        self.assertIn("line  source", lines)
        self.assertLessEqual(max(map(len, lines.splitlines())), 80, lines)
        # Lines far apart have a mark between them.
        text = self.annotate("=handle", "--context", "0", "a.ctf").stdout
        self.assertEqual([row.split()[0] for row in text.splitlines() if row.endswith("...")], ["..."])

    def test_where_sources_are(self):
        moved = self.folder / "moved"
        moved.mkdir()
        (self.folder / "program.cpp").rename(moved / "program.cpp")
        try:
            away = self.annotate("=handle", "a.ctf").stdout
            self.assertIn("--substitute-path FROM=TO", away)
            self.assertRegex(away, r"\n *781 KiB +exact +0 B +11\n")
            there = self.annotate("=handle", "a.ctf", "--substitute-path", f"{self.folder}={moved}").stdout
            self.assertIn("free(block(7992));", there)
        finally:
            (moved / "program.cpp").rename(self.folder / "program.cpp")

    def test_several_functions(self):
        names = [f["function"] for f in self.functions("/^(handle|block|main)$/")]
        self.assertEqual(names, ["main", "handle", "block"])
        self.assertIn("and 2 more that match", self.annotate("/^(handle|block|main)$/", "-n", "1", "a.ctf").stdout)

    def test_what_is_not_there(self):
        result = self.annotate("no_such_function", "a.ctf")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("'no_such_function'", result.stderr)
        for wrong in (["/(/", "a.ctf"], ["handle"], ["handle", "a.ctf", "--substitute-path", "nothing"]):
            self.assertEqual(self.annotate(*wrong).returncode, 2)


if __name__ == "__main__":
    unittest.main()
