# SPDX-License-Identifier: MIT
"""`memprof symbolize`: traces of others are unchanged by it; what bad input gets."""

import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TRACES = sorted((HERE.parent / "data/traces").rglob("*.ctf"))


def symbolize(*arguments):
    return subprocess.run([os.environ["MEMPROF_COMMAND"], "symbolize", *map(str, arguments)],
                          capture_output=True, text=True, check=False)


def dump(file):
    return subprocess.run([os.environ["MEMPROF_COMMAND"], "dump", str(file)], capture_output=True,
                          text=True, check=False)


class Symbolize(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def test_a_trace_without_raw_locations_stays(self):
        for trace in TRACES[:3]:
            out = self.path / trace.name
            result = symbolize(trace, "-o", out)
            with self.subTest(trace=trace.name):
                if result.returncode != 0:  # version 1 is not written, hostile ones are not read
                    self.assertFalse(out.exists())
                    continue
                self.assertEqual(dump(trace).stdout, dump(out).stdout)
                before = out.read_bytes()
                self.assertEqual(symbolize("--in-place", out).returncode, 0)
                self.assertEqual(out.read_bytes(), before)
        self.assertEqual([f for f in self.path.iterdir() if f.suffix != ".ctf"], [])

    def test_bad_input_is_named(self):
        text = self.path / "text.ctf"
        text.write_text("no trace")
        out = self.path / "out.ctf"
        for arguments, status, name in (
                ((), 2, "FILE"),
                ((text,), 2, "--in-place"),
                ((text, "--in-place", "-o", out), 2, "--in-place"),
                ((text, "-o", text), 2, "text.ctf"),
                ((text, "-o", out), 1, "text.ctf"),
                ((self.path / "none.ctf", "-o", out), 1, "none.ctf"),
                ((text, "--in-place"), 1, "text.ctf")):
            with self.subTest(arguments=arguments):
                result = symbolize(*arguments)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(name, result.stderr)
                self.assertFalse(out.exists())
        self.assertEqual(text.read_text(), "no trace")
        self.assertEqual(list(self.path.iterdir()), [text])

    def test_an_output_is_not_overwritten(self):
        out = self.path / "out.ctf"
        out.write_text("mine")
        result = symbolize(out, "-o", self.path / "../" / self.path.name / "out.ctf")
        self.assertEqual(result.returncode, 2)
        other = self.path / "other.ctf"
        other.write_text("x")
        result = symbolize(other, "-o", out)
        self.assertEqual(result.returncode, 1)
        self.assertIn("--force", result.stderr)
        self.assertEqual(out.read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
