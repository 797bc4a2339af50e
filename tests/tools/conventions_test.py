# SPDX-License-Identifier: MIT
"""What all commands have in common: help, exit statuses, outputs that are whole or not there."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import traces

FLUSHES = "flushes.ctf"


class Conventions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_help_and_version(self):
        for arguments in (["--help"], ["-h"], ["top", "-h"], ["diff", "--help"]):
            result = traces.run(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertLess(result.stdout.index("Examples:"), result.stdout.index("--help"))
        self.assertRegex(traces.run("--version").stdout, r"^memprof \d+\.\d+")
        nothing = traces.run()
        self.assertEqual((nothing.returncode, nothing.stdout), (2, ""))
        self.assertIn("Examples:", nothing.stderr)

    def test_help_as_a_word_and_what_was_meant(self):
        for words, same in ((["help"], ["--help"]), (["help", "top"], ["top", "--help"])):
            self.assertEqual(traces.run(*words).stdout, traces.run(*same).stdout)
        for typed, meant in (("tpo", "top"), ("flamgraph", "flamegraph"), ("subsampel", "subsample"),
                             ("hlep", "help"), ("--vresion", "--version")):
            result = traces.run(typed)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"did you mean {meant}?", result.stderr)
        self.assertNotIn("did you mean", traces.run("frobnicate").stderr)
        for before in ("-n", "--rows=5", "-", "--"):
            result = traces.run(before, "5", "top", FLUSHES)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(f"'{before}' is no option before a command", result.stderr)
        for typed, meant in (("--sortt", "--sort"), ("--row=3", "--rows"), ("--live-at-edn", "--live-at-end")):
            result = traces.run("top", FLUSHES, typed)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{typed} (did you mean {meant}?)", result.stderr)
        self.assertNotIn("did you mean", traces.run("top", FLUSHES, "--frobnicate").stderr)

    def test_tables_fit_the_page(self):
        for columns in (60, 80, 130):
            for command in (["top", "-n", "0"], ["tree", "--depth", "3", "--threshold", "0"],
                            ["diff", FLUSHES]):
                with self.subTest(columns=columns, command=command):
                    environment = {**os.environ, "COLUMNS": str(columns), "LC_ALL": "C"}
                    text = traces.run(command[0], "leaky.ctf", *command[1:], env=environment).stdout
                    table = text.split("\n\n")[-2 if command[0] == "diff" else -1]
                    self.assertGreater(len(table.splitlines()), 5)
                    self.assertLessEqual(max(map(len, table.splitlines())), columns, table)
                    # What stands before and behind it, too, but for words that are longer than a line.
                    for line in text.splitlines() if command[0] != "diff" else []:
                        self.assertTrue(len(line) <= columns or " " not in line.strip(), line)
        # Its tables of numbers take 77.
        for columns in (80, 130):
            text = traces.run("stats", "leaky.ctf", env={**os.environ, "COLUMNS": str(columns), "LC_ALL": "C"}).stdout
            self.assertGreater(len(text.splitlines()), 40)
            self.assertLessEqual(max(map(len, text.splitlines())), columns, text)
        # Whole names, as in the JSON report.
        names = [row["name"] for row in traces.report("top", "leaky.ctf", "-n", "0")["rows"]]
        text = traces.run("top", "-n", "0", "--full-names", "leaky.ctf",
                          env={**os.environ, "COLUMNS": "60"}).stdout
        self.assertTrue(all(line.endswith(name) for line, name in
                            zip(text.split("\n\n")[1].splitlines()[1:], names)), text)

    def test_usage(self):
        for arguments, name in (
                (["top"], "FILE"),
                (["top", FLUSHES, "--sort", "size"], "--sort"),
                (["top", FLUSHES, "--live-at", "soon"], "--live-at: 'soon'"),
                (["top", FLUSHES, "--live-at", "3 parsecs"], "parsecs"),
                (["top", FLUSHES, "--function", "/(/"], "--function"),
                (["top", FLUSHES, "--heap", "young"], "--heap"),
                (["top", FLUSHES, "--heap", "minor", "--not-heap", "minor"], "--not-heap"),
                (["top", FLUSHES, "--allocated-after", "2s", "--allocated-before", "1s"],
                 "--allocated-"),
                (["top", FLUSHES, "--classic", "--live-at-end"], "--classic"),
                (["tree", FLUSHES, "--threshold", "101"], "--threshold"),
                (["dump", FLUSHES, "--frobnicate"], "--frobnicate"),
                (["frobnicate"], "frobnicate")):
            with self.subTest(arguments=arguments):
                result = traces.run(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(name, result.stderr)

    def test_failures(self):
        for command in ("dump", "identify", "top", "tree", "flamegraph"):
            result = traces.run(command, "no/such.ctf")
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("no/such.ctf", result.stderr)
            bad = self.folder / "bad.ctf"
            bad.write_bytes(b"no trace at all" * 10)
            out = self.folder / "out"
            result = traces.run(command, str(bad), "-o", str(out))
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("bad.ctf", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.assertEqual(os.listdir(self.folder), ["bad.ctf"])

    def test_output_file(self):
        out = self.folder / "out.txt"
        expected = traces.run("dump", FLUSHES).stdout
        for _ in range(1):
            result = traces.run("dump", FLUSHES, "-o", str(out))
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(out.read_text(), expected)
        again = traces.run("identify", FLUSHES, "-o", str(out))
        self.assertEqual(again.returncode, 1)
        self.assertIn("--force", again.stderr)
        self.assertEqual(out.read_text(), expected)
        self.assertEqual(traces.run("identify", FLUSHES, "-f", "-o", str(out)).returncode, 0)
        self.assertEqual(out.read_text(), traces.run("identify", FLUSHES).stdout)
        self.assertEqual(os.listdir(self.folder), ["out.txt"])
        self.assertEqual(traces.run("dump", FLUSHES, "-o", "/dev/null").returncode, 0)

    def test_output_is_not_the_input(self):
        data = (traces.FOLDER / FLUSHES).read_bytes()
        file = self.folder / "a.ctf"
        file.write_bytes(data)
        (self.folder / "link").symlink_to(file)
        for name in (file, self.folder / "link"):
            result = traces.run("dump", str(file), "-f", "-o", str(name))
            self.assertEqual(result.returncode, 2)
            self.assertIn("--output", result.stderr)
            self.assertEqual(file.read_bytes(), data)

    def test_nothing_is_left_when_interrupted(self):
        out = self.folder / "out.txt"
        with subprocess.Popen([os.environ["MEMPROF_COMMAND"], "dump", "-", "-o", str(out)],
                              stdin=subprocess.PIPE, cwd=self.folder) as process:
            process.stdin.write((traces.FOLDER / FLUSHES).read_bytes())
            process.stdin.flush()
            for _ in range(600):
                if os.listdir(self.folder):
                    break
                time.sleep(0.05)
            self.assertEqual(len(os.listdir(self.folder)), 1)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(), -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder), [])

    def test_full_disk(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for command in ("dump", "top"):
                result = traces.run(command, FLUSHES, capture_output=False, stdout=full,
                                    stderr=subprocess.PIPE)
                self.assertEqual(result.returncode, 1)
                self.assertIn("standard output", result.stderr)


if __name__ == "__main__":
    unittest.main()
