# SPDX-License-Identifier: MIT
"""What the command prints of the golden traces is what memtrace's tools print of them."""

import hashlib
import unittest

import traces


def paragraphs(text):
    """hotspots as a set: equal amounts come in any order. Callers too are lines of a set."""
    head, *functions = text.strip("\n").split("\n\n")
    return head, [(f.split("\n")[0].split(" at ")[0],) for f in functions], {
        (f.split("\n")[0], tuple(sorted(f.split("\n")[1:]))) for f in functions}


class Golden(unittest.TestCase):
    def each(self, suffix):
        found = 0
        for name in traces.traces():
            expected = traces.golden(name + suffix)
            if expected is not None:
                found += 1
                with self.subTest(trace=name):
                    yield name, expected
        self.assertGreater(found, 0)

    def output(self, *arguments):
        result = traces.run(*arguments, text=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return result.stdout

    def test_dump(self):
        for name in traces.traces():
            facts = traces.facts(name)
            if facts is None:
                continue
            with self.subTest(trace=name):
                text = self.output("dump", name + ".ctf")
                self.assertEqual(text.count(b"\n"), facts["dump"]["lines"])
                self.assertEqual(hashlib.sha256(text).hexdigest(), facts["dump"]["sha256"])

    def test_folded_stacks(self):
        for name, expected in self.each(".folded"):
            self.assertEqual(self.output("flamegraph", name + ".ctf"), expected)

    def test_hotspots(self):
        for name, expected in self.each(".hotspots"):
            text = self.output("top", "--classic", name + ".ctf").decode()
            self.assertEqual(paragraphs(text), paragraphs(expected.decode()))

    def test_identify(self):
        for name, expected in self.each(".identify"):
            text = self.output("identify", name + ".ctf").decode()
            # Where it says what is not so, we say something else.
            lines = [line for line in expected.decode().split("\n")
                     if "nan" not in line and "-8 B" not in line]
            self.assertEqual([line for line in text.split("\n") if line in lines], lines)
            self.assertEqual(text.count("\n"), expected.count(b"\n"))

    def test_what_identify_says_of_nothing(self):
        result = traces.run("identify", "empty_v3.ctf")
        if result.returncode == 0:
            self.assertNotIn("nan", result.stdout)
            self.assertIn("Minor:   0 B/s allocations, -% promoted", result.stdout)


if __name__ == "__main__":
    unittest.main()
