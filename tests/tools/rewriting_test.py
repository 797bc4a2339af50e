# SPDX-License-Identifier: MIT
"""`memprof subsample`, `anonymize`, `repair`, `convert --to memtrace`: the bytes that memtrace's tools write,
and what they do beyond."""

import hashlib
import json
import math
import os
import pathlib
import re
import tempfile
import unittest

import golden


class Rewriting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out.ctf"

    def written(self, command, *arguments, status=0):
        golden.run(command, *arguments, "-f", "-o", self.out, status=status)
        return self.out.read_bytes()

    def check(self, name, want, *command):
        got = self.written(*command)
        self.assertEqual((len(got), hashlib.sha256(got).hexdigest()), (want["bytes"], want["sha256"]),
                         f"{name}: {command}")

    def stats(self, file):
        return json.loads(golden.run("stats", "--json", file).stdout)

    def interrupts(self, file):
        return json.loads(golden.run("top", "--json", file).stdout)["interrupts"]

    def test_interrupts_are_kept(self):
        # Written by trace::writer: a memory limit at 120 ms, a token at 700 ms, stacks of two calls.
        trace = pathlib.Path(__file__).resolve().parent.parent / "data" / "interrupts.ctf"
        whole = self.interrupts(trace)
        self.assertEqual(whole, [
            {"time_us": 120000, "limit": "memory", "allowed": 1 << 20, "measured": 1100000, "deferrals": 3,
             "thread": 42},
            {"time_us": 700000, "limit": "token", "allowed": 0, "measured": 0, "deferrals": 0, "thread": 43}])
        self.assertIn("limits hit: 1 memory, 1 token; the first at 120 ms\n",
                      golden.run("top", trace).stdout)
        for command in (["convert", "--to", "memtrace", trace], ["repair", trace], ["anonymize", trace],
                        ["subsample", trace], ["symbolize", trace]):
            with self.subTest(command[0]):
                written = self.written(*command)
                self.assertEqual(self.interrupts(self.out), whole)
                self.assertEqual(b"main.cpp" in written, command[0] != "anonymize")

    def test_the_bytes_of_memtrace(self):
        for name in golden.names():
            rewritten = golden.facts(name).get("rewritten", {})
            file = golden.trace(name)
            for what, want in rewritten.items():
                with self.subTest(f"{name}: {what}"):
                    cut = re.fullmatch(r"subsample IN OUT 1 (\d+) (\d+), version 3", what)
                    if what.startswith("copy, written as version 3"):
                        self.check(name, want, "subsample", file, "--version", "3")
                        self.check(name, want, "convert", "--to", "memtrace", "--version", "3", file)
                    elif what.startswith("copy, written as version 2"):
                        self.check(name, want, "subsample", file, "--version", "2")
                        self.check(name, want, "convert", "--to", "memtrace", "--version", "2", file)
                    elif what.startswith("strip_names"):
                        self.check(name, want, "anonymize", file)
                    elif cut:
                        self.check(name, want, "subsample", file, "--version", "3", "--from",
                                   cut[1], "--to", cut[2])
                    else:
                        self.fail(f"not known: {what}")

    def largest(self):
        return max(golden.names(), key=lambda n: min(golden.facts(n)["samples"]["total"], 20000))

    def test_thinned(self):
        name = self.largest()
        total = golden.facts(name)["samples"]["total"]
        rate = golden.facts(name)["info"]["sample_rate"]
        results = []
        for seed in 1, 2:
            got = self.written("subsample", golden.trace(name), "--factor", "4", "--seed", seed)
            numbers = self.stats(self.out)
            self.assertAlmostEqual(numbers["sample_rate"] * 4, rate)
            # Six standard deviations: wrong in one of 10^9, but the seed is fixed.
            self.assertLess(abs(numbers["allocated"]["samples"] - total / 4),
                            6.2 * math.sqrt(total * 3 / 16))
            self.assertEqual(got, self.written("subsample", golden.trace(name), "--factor", "4",
                                               "--seed", seed))
            results.append(got)
        self.assertNotEqual(*results)

    def test_anonymous_with_backtraces(self):
        name = self.largest()
        before = self.stats(golden.trace(name))
        data = self.written("anonymize", "--keep-backtraces", golden.trace(name))
        after = self.stats(self.out)
        self.assertEqual(before["allocated"]["samples"], after["allocated"]["samples"])
        self.assertEqual([s["allocated"]["samples"] for s in before["sites"]],
                         [s["allocated"]["samples"] for s in after["sites"]])
        secrets = {s["function"] for s in before["sites"]}
        secrets.add(golden.facts(name)["info"].get("executable_name", ""))
        for secret in secrets - {""}:
            self.assertNotIn(secret.encode(), data)

    def test_never_half_written(self):
        name = golden.names()[0]
        self.written("anonymize", golden.trace(name))
        for refused in ([golden.trace(name), "-o", self.out],):
            golden.run("anonymize", *refused, status=1)
        broken = self.out.with_name("broken.ctf")
        broken.write_bytes(golden.trace(name).read_bytes()[:100])
        kept = self.out.read_bytes()
        golden.run("anonymize", broken, "-f", "-o", self.out, status=1)
        self.assertEqual(self.out.read_bytes(), kept)
        self.assertEqual(sorted(os.listdir(self.out.parent)), ["broken.ctf", "out.ctf"])
        for bad in (["--factor", "0.5"], ["--from", "3", "--to", "2"], ["--factor", "nan"]):
            golden.run("subsample", golden.trace(name), *bad, "-f", "-o", self.out, status=2)
        golden.run("subsample", golden.trace(name), status=2)

    def test_repair(self):
        folder = golden.FOLDER / "bad"
        files = sorted(folder.glob("*.ctf")) if folder.is_dir() else []
        if not files:
            files = [self.out.with_name("cut.ctf")]
            whole = golden.trace(self.largest()).read_bytes()
            files[0].write_bytes(whole[:len(whole) * 2 // 3])
        saved = 0
        for file in files:
            with self.subTest(file.name):
                result = golden.run("repair", file, "-f", "-o", self.out, "--json", status=None)
                self.assertIn(result.returncode, (0, 1), result.stderr)
                if result.returncode == 1:
                    self.assertIn(file.name, result.stderr)
                    continue
                report = json.loads(result.stdout)
                dump = golden.run("stats", "--events", self.out)  # clean: no --recover
                self.assertEqual(dump.stderr, "")
                self.assertEqual(dump.stdout.count("\n"), report["allocations"] +
                                 report["promotions"] + report["collections"])
                saved += report["allocations"] > 0
        self.assertGreater(saved, 0)

    def test_damage_that_repair_survives(self):
        # A byte of a trace inverted, each in its turn: what repair saves, the others save, too, and no
        # number of samples takes them for ever (2^62 of them did).
        whole = golden.trace("leaky" if (golden.FOLDER / "leaky.ctf").is_file() else self.largest())
        whole = whole.read_bytes()[:40000]
        damaged = self.out.with_name("damaged.ctf")
        for at in range(200, len(whole), 1999):
            damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1:])
            if golden.run("repair", damaged, "-q", "-f", "-o", self.out, status=None).returncode != 0:
                continue
            for command in (["subsample", "--factor", "2"], ["convert", "--to", "memtrace"]):
                with self.subTest(at=at, command=command[0]):
                    result = golden.run(*command, damaged, "--recover", "-f", "-o", self.out, status=None)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    # One message for each kind of damage.
                    kinds = [line.split(" at byte ")[0] for line in result.stderr.splitlines()]
                    self.assertEqual(len(kinds), len(set(kinds)), result.stderr)

    def test_repair_of_what_is_whole(self):
        name = golden.names()[0]
        self.written("subsample", golden.trace(name))
        result = golden.run("repair", golden.trace(name), "-o", self.out.with_name("b.ctf"))
        self.assertIn("nothing was damaged", result.stderr)
        self.assertEqual(self.out.with_name("b.ctf").read_bytes(), self.out.read_bytes())


if __name__ == "__main__":
    unittest.main()
