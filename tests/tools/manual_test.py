# SPDX-License-Identifier: MIT
"""Manual pages and completions: they know what the help knows, and mandoc and the shells accept them."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import traces

COMMANDS = re.findall(r"^  (\w+) ", traces.run("--help").stdout.split("Subcommands:")[1], re.M)


def long_options(command):
    names = re.findall(r"^  (-\S+)", traces.run(command, "--help").stdout, re.M)
    return set(re.findall(r"--[\w-]+", "\n".join(names)))


class Manual(unittest.TestCase):
    def test_pages_have_all_options(self):
        self.assertGreater(len(COMMANDS), 15)
        overview = traces.run("manual").stdout
        for command in COMMANDS:
            with self.subTest(command=command):
                page = traces.run("manual", command).stdout.replace("\\-", "-")
                self.assertEqual(set(re.findall(r"\\fB(--[\w-]+)", page)), long_options(command))
                self.assertIn(f"\\fB{command}\\fR", overview)
        self.assertIn("One of: self, total, in\\-use, peak.", traces.run("manual", "top").stdout)
        self.assertEqual(traces.run("manual", "nonsense").returncode, 2)
        self.assertEqual(traces.run("manual", "top", "--directory", "x").returncode, 2)

    def test_pages_can_be_made_again(self):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "86400"}
        self.assertIn(" 1 1970-01-02 ", traces.run("manual", env=environment).stdout)
        environment["SOURCE_DATE_EPOCH"] = "soon"
        self.assertEqual(traces.run("manual", env=environment).returncode, 1)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not there")
    def test_mandoc_finds_no_fault(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(traces.run("manual", "--directory", folder).returncode, 0)
            pages = sorted(pathlib.Path(folder).iterdir())
            self.assertEqual([p.name for p in pages],
                             sorted(["memprof.1"] + [f"memprof-{c}.1" for c in COMMANDS]))
            result = subprocess.run(["mandoc", "-T", "lint", *pages], capture_output=True, text=True,
                                    check=False)
            self.assertEqual((result.stdout, result.stderr), ("", ""))


class Completion(unittest.TestCase):
    def bash(self, *words):
        """What bash offers for a command line that ends with the last word."""
        script = traces.run("completion", "bash").stdout + (
            'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memprof; printf "%s\\n" "${COMPREPLY[@]}"')
        result = subprocess.run(["bash", "-uc", script, "bash", "memprof", *words], capture_output=True,
                                text=True, check=True)
        self.assertEqual(result.stderr, "")
        return set(result.stdout.split())

    def test_bash(self):
        self.assertEqual(self.bash(""), {*COMMANDS, "help"})
        self.assertEqual(self.bash("re"), {"record", "repair"})
        self.assertEqual(self.bash("help", "to"), {"top"})
        for command in COMMANDS:
            self.assertEqual(self.bash(command, "--"), long_options(command), command)
        orders = {"self", "total", "in-use", "peak"}
        self.assertEqual(self.bash("top", "--sort", ""), orders)
        self.assertEqual(self.bash("top", "-s", "p"), {"peak"})
        self.assertEqual(self.bash("top", "--sort", "="), orders)
        self.assertEqual(self.bash("top", "--sort", "=", "to"), {"total"})
        self.assertEqual(self.bash("top", "--rows", "-"), set())  # a value that has no list
        self.assertEqual(self.bash("top", "a"), set())  # a file: bash's own completion
        self.assertEqual(self.bash("completion", "z"), {"zsh"})
        self.assertEqual(self.bash("record", "--", "ls", "--"), set())  # another program's

    @unittest.skipUnless(shutil.which("fish"), "fish is not there")
    def test_fish(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "memprof.fish")
            script.write_text(traces.run("completion", "fish").stdout, encoding="utf-8")

            def offered(line):
                result = subprocess.run(["fish", "-c", f"source {script}; complete -C '{line}'"],
                                        capture_output=True, text=True, check=True,
                                        env={**os.environ, "HOME": folder})
                return {text.split("\t")[0] for text in result.stdout.splitlines()}

            self.assertEqual(offered("memprof re"), {"record", "repair"})
            self.assertEqual(offered("memprof top --sort "), {"self", "total", "in-use", "peak"})
            self.assertEqual({o for o in offered("memprof top --") if o.startswith("--")},
                             long_options("top"))
            self.assertEqual(offered("memprof completion z"), {"zsh"})

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not there")
    def test_zsh(self):
        script = traces.run("completion", "zsh").stdout
        subprocess.run(["zsh", "-f", "-n"], input=script, text=True, check=True)
        for command in COMMANDS:
            block = script.split(f"\n        {command})\n")[1].split("\n          ;;")[0]
            names = re.findall(r"^ *'(?:\*|\(([^)]*)\))'([^'\[]*)'\[", block, re.M)
            self.assertEqual(set(re.findall(r"--[\w-]+", str(names))), long_options(command), command)


if __name__ == "__main__":
    unittest.main()
