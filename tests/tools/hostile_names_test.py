# SPDX-License-Identifier: MIT
"""A trace, a file and a program may have any names: no output of any command gives orders to a terminal, changes
the order of its text, begins a line of its own, or becomes code in a page."""

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
import unicodedata
import unittest
import xml.etree.ElementTree

import serving
import traces

WRITER = os.environ["MEMPROF_HOSTILE_NAMES"]
NAME = (b"=cmd|x\x1b[31mred\x1b]0;title\x07\x08\r\nFORGED: all is well\n\ttab\x7f\x9b2J\xc2\x9b2J\xff\xc3("
        + "\u202eevil\u202c\u2066\u2069\u200e\u200f\u061c\u200b\u2028\u2029\ufeff\U000e0041".encode()
        + b"<script>alert(1)</script>--><![CDATA[x]]>\"';x&amp; 12")
FILE = NAME.replace(b"/", b"\\")[:180]
STYLES = re.compile(r"\x1b\[(0|1|2|31|32)m")
COMMANDS = re.findall(r"^  (\w+) ", traces.run("--help").stdout.split("Subcommands:")[1], re.M)

# Of each command: arguments, {trace} and {out} being files. Those of "what has no names" print nothing of a trace.
REPORTS = {
    "top": [["{trace}"], ["{trace}", "--by", "thread"], ["{trace}", "--by", "line"], ["{trace}", "--by", "site"],
            ["{trace}", "--classic"], ["{trace}", "--hide-wrappers"], ["{trace}", "--full-names"],
            ["{trace}", "--json"], ["{trace}", "--classic", "--json"]],
    "tree": [["{trace}"], ["{trace}", "--bottom-up", "--by-thread", "--recursion"], ["{trace}", "--json"]],
    "identify": [["{trace}"], ["{trace}", "--json"]],
    "dump": [["{trace}"], ["{trace}", "--no-symbols"], ["{trace}", "--json"]],
    "annotate": [["cmd", "{trace}"], ["cmd", "{trace}", "--json"], ["no such \x1b[1m\nFORGED", "{trace}"]],
    "stats": [["{trace}"], ["{trace}", "--json"], ["{trace}", "--by", "function"], ["{trace}", "--csv", "sites"],
              ["{trace}", "--under", "cmd"], ["{trace}", "--events"]],
    "diff": [["{other}", "{trace}"], ["{other}", "{trace}", "--json"], ["{other}", "{trace}", "--by", "path"]],
    "check": [["{trace}", "--baseline", "{other}", "--max-peak", "1B"],
              ["{trace}", "--baseline", "{other}", "--json"], ["{trace}", "--baseline", "{trace}"]],
    "temporary": [["{trace}"], ["{trace}", "--json"], ["{trace}", "--by", "site"]],
    "flamegraph": [["{trace}", "--short-paths", "--unknown"], ["{trace}", "--recursion", "--by-thread"],
                   ["{trace}", "--json"], ["{trace}", "--json", "--recursion"]],
    "convert": [["{trace}", "--to", "csv"], ["{trace}", "--to", "json"], ["{trace}", "--to", "speedscope"],
                ["{trace}", "--to", "dhat"], ["{trace}", "--to", "folded"]],
    "symbolize": [["{trace}", "-o", "{out}"]],
    "repair": [["{trace}", "-o", "{out}"], ["{trace}", "--json", "-o", "{out}"]],
    "subsample": [["{trace}", "--factor", "2", "-o", "{out}"]],
    "anonymize": [["{trace}", "-o", "{out}"]],
}
ELSEWHERE = {"serve", "record", "run"}  # have tests of their own below
NO_NAMES = {"bounds", "completion", "manual"}


def shown_as_it_is(character):
    return unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cs")


class HostileNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.fsencode(folder.name)
        self.trace = os.path.join(self.folder, FILE + b".ctf")
        self.other = os.path.join(self.folder, b"other" + FILE)
        subprocess.run([WRITER, "write", self.trace, NAME], check=True)
        subprocess.run([WRITER, "write", self.other, b"another" + NAME], check=True)

    def run_command(self, *words, **variables):
        command = [os.environ["MEMPROF_COMMAND"], *words]
        return subprocess.run(command, capture_output=True, check=False, cwd=self.folder, timeout=60,
                              env={**os.environ, **variables})

    def harmless(self, output, styled=False):
        """The text, in which each character is shown as it is."""
        text = output.decode()  # is UTF-8
        plain = STYLES.sub("", text) if styled else text
        for line in plain.replace("\r\n", "\n").split("\n"):
            odd = {f"U+{ord(c):04X}" for c in line if not shown_as_it_is(c)}
            self.assertFalse(odd, line)
            self.assertFalse(line.lstrip(" |`-").startswith("FORGED"), line)
        return text

    def arguments(self, command, words):
        files = {"{trace}": self.trace, "{other}": self.other, "{out}": os.path.join(self.folder, b"out" + FILE)}
        return [command, *(files.get(w, w) for w in words)]

    def test_every_command_is_tried(self):
        self.assertEqual(set(COMMANDS), {*REPORTS, *ELSEWHERE, *NO_NAMES})

    def test_reports(self):
        for command, ways in REPORTS.items():
            for words in ways:
                with self.subTest(command=command, words=words):
                    out = os.path.join(self.folder, b"out" + FILE)
                    if os.path.exists(out):
                        os.unlink(out)
                    result = self.run_command(*self.arguments(command, words))
                    self.assertIn(result.returncode, (0, 1, 3), result.stderr)
                    text = self.harmless(result.stdout)
                    self.harmless(result.stderr)
                    if "--json" in words or words[-1] in ("json", "speedscope", "dhat"):
                        for line in text.splitlines() if command == "dump" else [text]:
                            json.loads(line)

    def test_json_keeps_names(self):
        name = NAME.decode(errors="replace")
        facts = json.loads(self.run_command("identify", "--json", self.trace).stdout)
        self.assertIn("\u202eevil", json.dumps(facts, ensure_ascii=False))
        rows = json.loads(self.run_command("top", "--json", self.trace).stdout)["rows"]
        self.assertIn("\u202eevil", rows[0]["name"])
        self.assertTrue(any(r["name"].startswith(name[:20]) for r in rows), rows)

    def test_styles_are_ours(self):
        for words in (["top", self.trace], ["tree", self.trace], ["diff", self.other, self.trace],
                      ["stats", self.trace], ["annotate", "cmd", self.trace]):
            result = self.run_command(*words, "--color=always")
            self.assertIn(b"\x1b[1m", result.stdout)
            text = self.harmless(result.stdout, styled=True)
            self.assertNotIn("\x1b[31mred", text)

    def test_lines_of_other_tools(self):
        folded = self.run_command("flamegraph", "--unknown", self.trace).stdout.decode()
        for line in folded.splitlines():
            self.assertRegex(line, r"^[^;].* \d+$")
            self.assertLessEqual(line.count(";"), 5)
        table = self.run_command("convert", "--to", "csv", self.trace).stdout.decode()
        for row in list(csv.reader(io.StringIO(table, newline="")))[1:]:
            self.assertEqual(len(row), 11)
            self.assertTrue(all(not cell or cell[0] not in "=+@\t\r" for cell in row), row)
        for row in csv.reader(io.StringIO(self.run_command("stats", "--csv", "sites", self.trace).stdout.decode())):
            self.assertEqual(len(row), 16)
            self.assertTrue(row[0].startswith(("'=cmd", "function", "$", "0x", "??")) or row[0][0] not in "=+-@", row)

    def test_binary_profiles(self):
        for to in ("pprof", "otlp"):
            out = os.path.join(self.folder, to.encode())
            result = self.run_command("convert", "--to", to, "-o", out, self.trace)
            self.assertEqual(result.returncode, 0, result.stderr)
            content = pathlib.Path(os.fsdecode(out)).read_bytes()
            content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
            self.assertIn(rb"\x1b[31mred", content)
            for order in (b"\x1b[31m", b"\nFORGED", "\u202e".encode(), b"\xc2\x9b2J"):
                self.assertNotIn(order, content)

    def test_plots(self):
        plots = os.path.join(self.folder, b"plots")
        result = self.run_command("stats", "--plots", plots, self.trace)
        self.assertEqual(result.returncode, 0, result.stderr)
        drawn = list(pathlib.Path(os.fsdecode(plots)).glob("*.svg"))
        self.assertGreater(len(drawn), 2)
        for plot in drawn:
            text = self.harmless(plot.read_bytes())
            self.assertNotIn("<script", text)
            xml.etree.ElementTree.fromstring(text)

    def check_names(self, value, lines=False):
        """All strings of a JSON value, as the page shows them. Notes may have lines: each has a place of its own."""
        if isinstance(value, dict):
            for key, v in value.items():
                self.check_names(key)
                self.check_names(v, lines or key == "notes")
        elif isinstance(value, list):
            for v in value:
                self.check_names(v, lines)
        elif isinstance(value, str):
            odd = {f"U+{ord(c):04X}" for c in value if not shown_as_it_is(c) and not (lines and c in "\r\n")}
            self.assertFalse(odd, value)

    def head_of(self, index):
        self.assertEqual(index[:8], b"memprof1")
        return json.loads(index[16:16 + int.from_bytes(index[8:16], "little")])

    def test_page_in_one_file(self):
        pages = []
        harmless = os.path.join(self.folder, b"harmless.ctf")
        subprocess.run([WRITER, "write", harmless, b"f"], check=True)
        for trace in (self.trace, harmless):
            out = os.path.join(self.folder, b"page.html")
            result = self.run_command("serve", trace, "--html", out, "-f")
            if b"built without the page" in result.stderr:
                self.skipTest("memprof was built without the page")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.harmless(result.stderr)
            pages.append(pathlib.Path(os.fsdecode(out)).read_bytes())
        data = re.compile(rb'<script id="memprof-data" type="application/gzip">([A-Za-z0-9+/=]*)</script>')
        shells = [data.sub(b"", page) for page in pages]
        self.assertEqual(shells[0], shells[1])  # names are in the data alone
        head = self.head_of(gzip.decompress(base64.b64decode(data.search(pages[0])[1])))
        self.check_names(head)
        self.assertIn("\\x1b[31mred", head["functions"][1] + head["functions"][2])

    def test_page_from_a_server(self):
        server = serving.Server(self.trace, "--against", self.other)
        try:
            self.check_names(server.get("/api/trace"))
            for route in ("/api/index", "/api/other"):
                status, _, body = server.raw(route)
                self.assertEqual(status, 200)
                self.check_names(self.head_of(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body))
            _, _, body = server.raw("/api/source/x%1b%5b31m%e2%80%aeevil%0aFORGED")
            self.harmless(body)
        finally:
            _, out, err = server.stop()
        self.harmless((out + err).encode())

    def test_messages_about_files(self):
        missing = os.path.join(self.folder, b"missing" + FILE)
        damaged = os.path.join(self.folder, b"damaged" + FILE)
        whole = pathlib.Path(os.fsdecode(self.trace)).read_bytes()
        pathlib.Path(os.fsdecode(damaged)).write_bytes(whole[:-40])
        for command, words in (("top", [missing]), ("top", [self.folder]), ("identify", [damaged]),
                               ("top", [damaged]), ("dump", [damaged]), ("stats", ["--recover", damaged]),
                               ("repair", [damaged, "-o", self.other]), ("repair", [damaged, "-fo", self.other]),
                               ("top", [self.trace, "-o", self.other]), ("top", [self.trace, "-o", self.trace]),
                               ("check", [self.trace, "--suppressions", missing]),
                               ("top", [self.trace, b"--no\x1b[1m\nFORGED"]), (b"no\x1b[1m\nFORGED", []),
                               ("top", [self.trace, "--function", b"/(\x1b[1m\nFORGED/"]),
                               ("top", [self.trace, "--sort", b"\x1b[1m\nFORGED"]), ("serve", [missing]),
                               ("serve", [self.trace, "--html", self.other]),
                               ("record", [b"./" + FILE]), ("run", ["--memory", "1GiB", b"./" + FILE]),
                               ("record", ["--", self.trace]), ("run", ["--memory", "1GiB", "--", self.trace])):
            with self.subTest(command=command, words=words):
                result = self.run_command(command, *words)
                self.harmless(result.stdout)
                self.harmless(result.stderr)

    def program(self):
        program = os.path.join(self.folder, FILE)
        pathlib.Path(os.fsdecode(program)).write_bytes(pathlib.Path(WRITER).read_bytes())
        os.chmod(program, 0o700)
        return program

    def test_recorded_program(self):
        trace = os.path.join(self.folder, b"recorded" + FILE)
        result = self.run_command("record", "-o", trace, "--rate", "1e-4", self.program(), "write",
                                  os.path.join(self.folder, b"x" + FILE), NAME)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.harmless(result.stderr)
        for command in ("top", "identify", "dump", "tree"):
            self.harmless(self.run_command(command, trace).stdout)

    def test_message_of_the_library(self):
        result = self.run_command("record", self.program(), "hold", b"t", MEMPROF_GUARD=b"\x1b[31m\xe2\x80\xae\nFORGED")
        self.assertIn(rb"MEMPROF_GUARD='\x1b[31m\u202e\nFORGED'", result.stderr)
        self.harmless(result.stderr)

    def test_limited_program(self):
        result = self.run_command("run", "--memory", "100MiB", self.program(), "hold", NAME[6:20])
        self.assertIn(b"the limit", result.stderr)
        self.harmless(result.stderr)
        reports = [p for p in pathlib.Path(os.fsdecode(self.folder)).iterdir() if p.suffix == ".txt"]
        self.assertTrue(reports, result.stderr)
        for report in reports:
            self.harmless(report.read_bytes())


if __name__ == "__main__":
    unittest.main()
