# SPDX-License-Identifier: MIT
"""What the command prints of the golden traces is what memtrace's tools print of them."""

import hashlib
import unittest

import traces


def parts(text):
    """Of hotspots: the head; the functions' lines without positions, and the callers of each, as sets
    (equal amounts come in any order); and {line: positions}."""
    head, *functions = text.strip("\n").split("\n\n")
    listed, positions = set(), {}
    for f in functions:
        first, *callers = f.split("\n")
        name, _, where = first.rpartition(":")[0].rpartition(" (")
        where = first[len(name) + 2:]
        file, _, list_of = where.partition(":")
        listed.add((name, file, tuple(sorted(callers))))
        positions[name, file] = list_of.rstrip(")").removesuffix("...").split(", ")
    return head, listed, positions


class Golden(unittest.TestCase):
    def each(self, suffix):
        """[(trace, golden bytes)]"""
        found = [(name, traces.golden(name + suffix)) for name in traces.traces()]
        found = [(name, expected) for name, expected in found if expected is not None]
        self.assertGreater(len(found), 0)
        return found

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
            with self.subTest(trace=name):
                self.assertEqual(self.output("flamegraph", name + ".ctf"), expected)

    def test_hotspots(self):
        for name, expected in self.each(".hotspots"):
            with self.subTest(trace=name):
                ours = parts(self.output("top", "--classic", name + ".ctf").decode())
                theirs = parts(expected.decode())
                self.assertEqual(ours[:2], theirs[:2])
                self.check_positions(name, theirs[2])

    def check_positions(self, name, theirs):
        """The first three by samples: of equal ones any."""
        for f in traces.report("top", "--classic", name + ".ctf")["functions"]:
            (listed,) = [p for (at, file), p in theirs.items()
                         if at.partition(" at ")[2] == f["function"] and file == f["file"]]
            known = {}
            for p in f["positions"]:
                place = f"{p['line']}:{p['start_char']}-{p['end_char']}"
                known.setdefault(place, []).append(p["samples"])
            most = [p["samples"] for p in f["positions"]][:3]
            self.assertEqual(len(listed), len(most))
            for place, samples in zip(listed, most):
                self.assertIn(samples, known[place], (f["function"], place))

    def test_identify(self):
        for name, expected in self.each(".identify"):
            with self.subTest(trace=name):
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
