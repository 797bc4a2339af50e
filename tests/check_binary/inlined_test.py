# SPDX-License-Identifier: MIT
"""check_binary.py --write-inlined: a function of which nothing but inlined calls are left is protected, by a file
of this very build only.

usage: inlined_test.py PROGRAM    (of sources/inlined_unsafe.cpp)
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_binary.py"
PROGRAM = ""
PATTERN = "shop::index_tree<*>::*"


class InlinedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name) / "program"
        shutil.copy(PROGRAM, self.program)
        self.beside = pathlib.Path(f"{self.program}.memprof-inlined")

    def write(self, *options, status=0):
        done = subprocess.run([sys.executable, SCRIPT, "--write-inlined", *options, self.program],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def run_program(self):
        """(what it prints, its messages)"""
        done = subprocess.run([self.program], capture_output=True, text=True, check=True)
        return done.stdout.strip(), done.stderr

    def replace_lines(self, change):
        """Changes the lines of the file and gives it the checksum that they have then."""
        lines = change(self.beside.read_text().splitlines()[:-1])
        text = "\n".join(lines) + "\n"
        self.beside.write_text(f"{text}checksum {zlib.crc32(text.encode()):x}\n")

    def test_protects_inlined_calls(self):
        self.assertEqual(self.run_program(), ("broken", ""))
        self.write("--function", PATTERN)
        self.assertIn("index_tree", self.beside.read_text())
        self.assertEqual(self.run_program(), ("whole", ""))

    def test_leaves_out_what_is_on_no_list(self):
        self.write()
        self.assertNotIn("index_tree", self.beside.read_text())
        self.assertEqual(self.run_program(), ("broken", ""))

    def test_damaged(self):
        self.write("--function", PATTERN)
        text = self.beside.read_text()
        self.beside.write_text(text.replace("index_tree", "index_trex"))
        self.assertEqual(self.run_program(), ("broken", f"memprof: {self.beside} is damaged: not used\n"))
        self.beside.write_text(text[:len(text) // 2])
        self.assertEqual(self.run_program(), ("broken", f"memprof: {self.beside} is cut short: not used\n"))

    def test_of_another_build(self):
        self.write("--function", PATTERN)
        self.replace_lines(lambda lines: [lines[0], "build id " + "0" * 40, *lines[2:]])
        self.assertEqual(self.run_program(),
                         ("broken", f"memprof: {self.beside} was made of another build: not used\n"))

    def test_what_does_not_say_what_was_inlined(self):
        subprocess.run(["strip", "--strip-debug", self.program], check=True)
        self.assertIn("it has no debug information", self.write(status=2))
        self.assertFalse(self.beside.exists())
        subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", self.program], check=True)
        self.assertIn("it has no build id", self.write(status=2))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
