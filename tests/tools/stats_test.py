# SPDX-License-Identifier: MIT
"""`memprof stats`: the numbers of ocaml-alloc-stats for every golden trace, and what goes beyond."""

import csv
import hashlib
import io
import json
import math
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

import golden

SVG = "{http://www.w3.org/2000/svg}"


def stats(name, *arguments):
    return json.loads(golden.run("stats", "--json", *arguments, golden.trace(name)).stdout)


class Golden(unittest.TestCase):
    """Every golden trace."""

    def same(self, got, want, where):
        if isinstance(want, dict):
            if "distinct_sizes" in want:  # too many to list
                self.assertEqual(len(got), want["distinct_sizes"], where)
                return
            self.assertEqual(sorted(got), sorted(want), where)
            for key, value in want.items():
                self.same(got[key], value, f"{where}.{key}")
        elif isinstance(want, list):
            self.assertEqual(len(got), len(want), where)
            for i, value in enumerate(want):
                self.same(got[i], value, f"{where}[{i}]")
        elif isinstance(want, float):
            self.assertTrue(math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-9),
                            f"{where}: {got}, not {want}")
        else:
            self.assertEqual(got, want, where)

    def test_alloc_stats_and_totals(self):
        for name in golden.names():
            with self.subTest(name):
                want = golden.facts(name)
                got = stats(name)
                self.same(got["alloc_stats"], want["alloc_stats"], name)
                self.assertEqual(got["allocated"]["samples"], want["samples"]["total"])
                for heap in "minor", "major", "external":
                    self.assertEqual(got[f"allocated_{heap}"]["samples"], want["samples"][heap])
                self.assertEqual(got["promoted"]["samples"], want["samples"]["promoted"])
                self.assertEqual(got["in_use_at_end"]["samples"], want["live_at_end"]["samples"])
                peak = want["peak_live_in_file_order"]
                self.assertEqual(got["never_over"]["samples"], peak["samples"])
                if want["info"]["sample_rate"] == 1:
                    self.assertEqual(got["peak"]["samples"], peak["samples"])
                if peak["samples"] > 0:
                    self.assertEqual(got["peak"]["time_us"], peak["time_us"])
                steps = got["series"]["steps"]
                self.assertEqual(sum(s["allocated_samples"] for s in steps),
                                 want["samples"]["total"])
                for sum_ in [got["allocated"], got["in_use_at_end"], got["peak"]]:
                    self.assertLessEqual(sum_["lower"], sum_["bytes"])
                    self.assertGreaterEqual(sum_["upper"], sum_["bytes"])

    def test_series(self):
        # Live samples at the end of a step, against golden numbers at times within one step of it.
        for name in golden.names():
            want = golden.facts(name)
            at_45ths = want.get("live_samples_at_n_45ths_of_duration")
            if not at_45ths:
                continue
            with self.subTest(name):
                got = stats(name)["series"]
                if not got["steps"]:
                    continue
                self.assertEqual(got["steps"][-1]["live_at_end"]["samples"], at_45ths[-1])
                step = got["step_us"]
                for n, live in enumerate(at_45ths, 1):
                    i = min(len(got["steps"]) - 1, want["duration_us"] * n // 45 // step)
                    here = got["steps"][i]
                    before = got["steps"][i - 1]["live_at_end"]["samples"] if i > 0 else 0
                    self.assertLessEqual(live, before + here["allocated_samples"])
                    self.assertGreaterEqual(live, before - here["freed_samples"])

    def test_events(self):
        for name in golden.names():
            with self.subTest(name):
                text = golden.run("stats", "--events", golden.trace(name), text=False).stdout
                want = golden.facts(name)["alloc_stats_dump"]
                self.assertEqual(text.count(b"\n"), want["lines"])
                self.assertEqual(hashlib.sha256(text).hexdigest(), want["sha256"])

    def test_sites(self):
        for name in golden.names():
            want = golden.facts(name).get("top_functions_self_samples")
            if not want:
                continue
            with self.subTest(name):
                got = stats(name, "--by", "function", "--top", "100000")["sites"]
                samples = {s["function"]: s["allocated"]["samples"] for s in got}
                for function, n in want:
                    if not function.startswith("$"):
                        self.assertEqual(samples[function], n, function)


class Beyond(unittest.TestCase):
    """One trace, looked at closely."""

    name = "queue_balloon" if "queue_balloon" in golden.names() else golden.names()[-1]

    def test_text(self):
        text = golden.run("stats", golden.trace(self.name)).stdout
        for part in "allocated", "promoted", "Over time", "Lifetimes", "allocation sites":
            self.assertIn(part, text)

    def test_survival_falls_within_its_interval(self):
        curve = stats(self.name)["lifetimes_us"]["survival"]
        self.assertEqual(curve[0]["share"], 1)
        for before, point in zip(curve, curve[1:]):
            self.assertLess(before["age_us"], point["age_us"])
            self.assertGreaterEqual(before["share"], point["share"])
            self.assertLessEqual(point["lower"], point["share"])
            self.assertGreaterEqual(point["upper"], point["share"])

    def test_tables(self):
        for table in "series", "sizes", "counts-by-size", "lifetimes", "points", "survival", "sites":
            text = golden.run("stats", "--csv", table, golden.trace(self.name)).stdout
            rows = list(csv.DictReader(io.StringIO(text)))
            self.assertGreater(len(rows), 0, table)
            self.assertTrue(all(None not in row and None not in row.values() for row in rows), table)
        samples = sum(int(row["samples"]) for row in rows)
        self.assertEqual(samples, golden.facts(self.name)["samples"]["total"])

    def test_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            golden.run("stats", golden.trace(self.name), "--plots", f"{folder}/plots")
            plots = sorted(pathlib.Path(folder, "plots").glob("*"))
            self.assertIn("survival.svg", [p.name for p in plots])
            for plot in plots:
                root = xml.etree.ElementTree.parse(plot).getroot()
                texts = [t.text for t in root.iter(f"{SVG}text")]
                self.assertGreater(len(texts), 8, plot)  # a title, labels, ticks
                for element in root.iter():
                    for value in element.attrib.values():
                        self.assertNotIn("nan", value)
                        self.assertNotIn("inf", value)
            again = golden.run("stats", golden.trace(self.name), "--plots", f"{folder}/plots",
                               status=1)
            self.assertIn(".svg", again.stderr)
            golden.run("stats", "-f", golden.trace(self.name), "--plots", f"{folder}/plots")

    def test_under(self):
        inclusive = golden.facts(self.name)["top_functions_inclusive_samples"]
        for function, samples in inclusive[:5]:
            got = stats(self.name, "--under", f"={function}")
            self.assertEqual(got["allocated"]["samples"], samples, function)
        self.assertEqual(stats(self.name, "--under", "=nothing")["allocated"]["samples"], 0)

    def test_usage(self):
        for bad in (["--csv", "nonsense"], ["--json", "--csv", "sites"], ["--by", "x"]):
            golden.run("stats", *bad, golden.trace(self.name), status=2)
        golden.run("stats", "missing.ctf", status=1)


if __name__ == "__main__":
    unittest.main()
