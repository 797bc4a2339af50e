# SPDX-License-Identifier: MIT
"""Reports of stacks that are deep and all different need memory for the file, not for a tree of all calls."""

import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

STACKS, DEPTH, FUNCTIONS = 1000, 2048, 40
FRAMES = STACKS * DEPTH


def measured(*command):
    """Its standard output, and the most memory that it had, in bytes: at least what this Python ever had, so nothing
    large may be read before."""
    out = tempfile.TemporaryFile("w+b")  # pylint: disable=consider-using-with
    with subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE) as child:
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, errors
    out.seek(0)
    return out, usage.ru_maxrss * 1024


NODE = re.compile(rb'\{"name":"([^"]*)","samples":(\d+)(?:(,"children":\[)|((?:\]?\})+)(,?))\n')


def own_amounts(lines):
    """{path: samples of that path alone} of the JSON of a flame graph, by its lines: Python's reader nests no deeper
    than its stack."""
    found = {}
    path = []  # [name, samples that no child has]
    for line in lines:
        node = NODE.fullmatch(line)
        assert node, line
        name, samples, has_children, ends, comma = node.groups()
        if path:
            path[-1][1] -= int(samples)
        path.append([name, int(samples)])
        if has_children:
            continue
        for _ in range(ends.count(b"}")):
            if path[-1][1]:
                found[b";".join(name for name, _ in path[1:])] = path[-1][1]
            path.pop()
        assert bool(comma) == bool(path), line
        if not path:
            break
    assert list(lines) == [b"}\n"]
    return found


class DeepStacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.trace = os.path.join(cls.folder.name, "deep.ctf")
        shallow = os.path.join(cls.folder.name, "shallow.ctf")
        for file, depth in ((cls.trace, DEPTH), (shallow, 2)):
            subprocess.run([os.environ["MEMPROF_DEEP_STACKS"], file, str(STACKS), str(depth), str(FUNCTIONS)],
                           check=True)
        cls.shallow = shallow

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def more_than_shallow(self, *arguments):
        """The bytes that each call of the deep stacks takes."""
        command = os.environ["MEMPROF_COMMAND"]
        amounts = []
        for trace in (self.trace, self.shallow):
            report, amount = measured(command, *arguments, trace)
            report.close()
            amounts.append(amount)
        return (amounts[0] - amounts[1]) / FRAMES

    def lines(self, *arguments):
        """Of the report of the deep stacks, one at a time."""
        report, _ = measured(os.environ["MEMPROF_COMMAND"], *arguments, self.trace)
        with report:
            yield from report

    def test_memory(self):
        # A node takes 2 bytes; call trees have 40 functions for each stack. With 55 bytes for a node, and as many
        # again for each report, it was 70 to 160.
        for arguments in (["top"], ["top", "--by", "site", "--function", "f3"], ["stats"], ["flamegraph"], ["tree"],
                          ["tree", "--bottom-up"], ["diff", self.shallow], ["annotate", "f3"],
                          ["flamegraph", "--json"], ["flamegraph", "--recursion"],
                          ["flamegraph", "--recursion", "--json"], ["convert", "--to", "folded"], ["convert", "--to", "speedscope"]):
            with self.subTest(arguments=arguments):
                self.assertLess(self.more_than_shallow(*arguments), 20)

    def test_tree_as_json(self):
        for options in ([], ["--recursion"]):
            with self.subTest(options=options):
                folded = {}
                for line in self.lines("flamegraph", "--short-paths", "--unknown", *options):
                    path, samples = line.rsplit(b" ", 1)
                    folded[path] = int(samples)
                report = self.lines("flamegraph", "--json", "--unknown", *options)
                head = b""
                for line in report:
                    head, found, tree = (head + line).partition(b' "tree": ')
                    if found:
                        break
                self.assertEqual(json.loads(head + b' "tree": 0}')["weight"], "allocated")
                self.assertEqual(own_amounts(itertools.chain([tree], report)), folded)
                self.assertEqual(sum(folded.values()), STACKS)

    def test_amounts(self):
        report = json.loads(b"".join(self.lines("top", "--json", "-n", "0")))
        self.assertEqual(len(report["rows"]), FUNCTIONS)
        self.assertEqual(sum(row["self"]["allocated"]["samples"] for row in report["rows"]), STACKS)
        # Of 2048 calls each function has some: a chance of 40 * 1000 * (39 / 40)^2048 < 2e-18.
        for row in report["rows"]:
            self.assertEqual(row["total"]["allocated"]["samples"], STACKS)
        lines = [line.decode() for line in self.lines("flamegraph")]
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in lines), STACKS)
        for line in lines:
            self.assertEqual(len(line.rsplit(" ", 1)[0].split(";")), FUNCTIONS)

    def test_page(self):
        page = os.path.join(self.folder.name, "deep.html")
        result = subprocess.run([os.environ["MEMPROF_COMMAND"], "serve", self.trace, "--html", page], text=True,
                                capture_output=True, check=False)
        if "built without the page" in result.stderr:
            self.skipTest("built without the page")
        self.assertEqual(result.returncode, 0, result.stderr)
        # 2 * 512 * 1000 is less than 2 million, 2 * 1024 * 1000 is not.
        self.assertIn("of those of more than 1024 it has the outermost 512 and the innermost 512", result.stderr)
        self.assertLess(pathlib.Path(page).stat().st_size, 16 << 20)

    def test_page_of_many_blocks(self):
        many = os.path.join(self.folder.name, "many.ctf")
        page = os.path.join(self.folder.name, "many.html")
        subprocess.run([os.environ["MEMPROF_DEEP_STACKS"], many, "2100000", "2", "4"], check=True)
        result = subprocess.run([os.environ["MEMPROF_COMMAND"], "serve", many, "--html", page], text=True,
                                capture_output=True, check=False)
        if "built without the page" in result.stderr:
            self.skipTest("built without the page")
        self.assertEqual(result.returncode, 0, result.stderr)
        said = re.search(r"2100000 sampled blocks are too many for the page: it has (\d+) of them, one of 2 samples",
                         result.stderr)
        self.assertTrue(said, result.stderr)
        # Half of them: 7 standard deviations, a false alarm in 4e11 traces (and the samples are always the same).
        self.assertLess(abs(int(said[1]) - 1050000), 7 * 725)
        self.assertLess(pathlib.Path(page).stat().st_size, 16 << 20)


if __name__ == "__main__":
    sys.exit(unittest.main())
