# SPDX-License-Identifier: MIT
"""`top`, `tree`, `flamegraph`, `diff` and the selections, by what is known of the golden traces."""

import json
import math
import re
import unittest

import traces


def bytes_of(facts, samples):
    return samples / facts["info"]["sample_rate"] * facts["info"]["word_size"] / 8


def options_of(description):
    """The options for a filter as the JSON files describe it, in a row of parts."""
    options = []
    for part in re.split(r", (?=live|lifetime|allocated)", description):
        rules = (
            (r"live at peak", lambda m: ["--live-at-peak"]),
            (r"live at end of trace.*", lambda m: ["--live-at-end"]),
            (r"live at (\d+) us", lambda m: ["--live-at", m[1] + "us"]),
            (r"allocated between (\d+) and (\d+) us",
             lambda m: ["--allocated-between", m[1] + "us", m[2] + "us"]),
            (r"allocated at or after (\d+) us", lambda m: ["--allocated-after", m[1] + "us"]),
            (r"lifetime at least (\d+) us", lambda m: ["--lifetime-min", m[1] + "us"]),
            (r"lifetime at most (\d+) us", lambda m: ["--lifetime-max", m[1] + "us"]),
            (r"size at least (\d+) bytes", lambda m: ["--size-min", m[1] + "B"]),
            (r"on the (\w+) heap", lambda m: ["--heap", m[1]]),
            (r"not on the (\w+) heap", lambda m: ["--not-heap", m[1]]),
            (r"inside a call to a function whose name equals (.*)",
             lambda m: ["--function==" + m[1]]),
            (r"not inside a call to a function whose name contains (.*)",
             lambda m: ["--not-function=contains:" + m[1]]))
        for pattern, make in rules:
            if match := re.fullmatch(pattern, part, re.DOTALL):
                options += make(match)
                break
        else:
            raise ValueError(f"a filter of an unknown kind: {description}")
    return options


class Facts(unittest.TestCase):
    def each(self):
        """[(file, facts)]"""
        found = [(name + ".ctf", traces.facts(name)) for name in traces.traces()]
        found = [(file, facts) for file, facts in found if facts is not None]
        self.assertGreater(len(found), 0)
        return found

    def test_totals(self):
        for file, facts in self.each():
            with self.subTest(trace=file):
                top = traces.report("top", file, "-n", "0")
                self.assertEqual(top["schema_version"], 1)
                every = top["all"]
                self.assertEqual(every["allocated"]["samples"], facts["samples"]["total"])
                self.assertEqual(every["in_use_at_end"]["samples"], facts["live_at_end"]["samples"])
                self.assertEqual(every["in_use_at_end"]["sampled_blocks"],
                                 facts["live_at_end"]["objects"])
                self.assertAlmostEqual(every["allocated"]["bytes"],
                                       facts["estimated_bytes_allocated"], delta=1)
                peak = facts["peak_live_in_file_order"]
                self.assertEqual(top["never_over"]["samples"], peak["samples"])
                if facts["info"]["sample_rate"] == 1:
                    self.assertEqual(every["at_peak"]["samples"], peak["samples"])
                self.assertEqual(top["peak_time_us"], peak["time_us"])
                self.assertEqual(top["duration_us"], facts["duration_us"])
                for amount in every.values():
                    self.assertLessEqual(amount["lower"], amount["bytes"])
                    self.assertGreaterEqual(amount["upper"], amount["bytes"])
                # What is at the peak, or in use, is somebody's.
                if not any(row["name"].startswith("0x") for row in top["rows"]):
                    for what, whole in every.items():
                        of_rows = sum(row["self"][what]["samples"] for row in top["rows"])
                        self.assertLessEqual(of_rows, whole["samples"])

    def test_the_peak_is_not_below_the_end(self):
        chosen = ("--function", "=Stdlib.(^)", "leaky.ctf")
        every = traces.report("top", *chosen)["all"]
        self.assertLess(every["at_peak"]["bytes"], every["in_use_at_end"]["bytes"])  # by the halves of its samples
        head = " ".join(traces.run("top", *chosen).stdout.split("\n\n")[0].split())
        self.assertRegex(head, r"in use at the end [^;]*\(([^;]*) to [^;]*\); peak about as at the end \(\1 to ")
        self.assertRegex(" ".join(traces.run("top", "leaky.ctf").stdout.split()), r"; peak [\d.]+ MiB \(")

    def test_functions(self):
        for file, facts in self.each():
            with self.subTest(trace=file):
                rows = {row["name"]: row for row in
                        traces.report("top", file, "-n", "0", "--sort", "total")["rows"]}
                for name, samples in facts["top_functions_self_samples"]:
                    if name.startswith("$"):
                        continue
                    self.assertEqual(rows[name]["self"]["allocated"]["samples"], samples, name)
                for name, samples in facts["top_functions_inclusive_samples"]:
                    if name.startswith("$"):
                        continue
                    self.assertEqual(rows[name]["total"]["allocated"]["samples"], samples, name)

    def test_sites(self):
        for file, facts in self.each():
            with self.subTest(trace=file):
                rows = {row["name"]: row["self"]["allocated"]["samples"] for row in
                        traces.report("top", file, "-n", "0", "--by", "site")["rows"]}
                for site, samples in facts["top_allocation_sites_samples"]:
                    # A position without columns is written without them.
                    short = re.sub(r":0-0$", "", site)
                    if not site.startswith("$"):
                        self.assertEqual(rows.get(site, rows.get(short)), samples, site)

    def test_filters(self):
        for file, facts in self.each():
            with self.subTest(trace=file):
                for description, expected in facts.get("viewer_filters", {}).items():
                    with self.subTest(filter=description):
                        top = traces.report("top", file, "-n", "1", *options_of(description))
                        amount = top["all"]["allocated"]
                        if "peak" in description and facts["duration_us"] == top["peak_time_us"]:
                            # The viewer finds nothing at the last event; we what is live at the end.
                            expected = facts["live_at_end"]
                        if "peak" in description and facts["info"]["sample_rate"] < 1:
                            # The viewer's are those of the greatest number of samples. Ours are of the
                            # moments that halves of the samples pick, and no more than chance apart.
                            self.assertLess(abs(amount["samples"] - expected["samples"]),
                                            10 + 6 * math.sqrt(expected["samples"]))
                            continue
                        self.assertEqual((amount["sampled_blocks"], amount["samples"]),
                                         (expected["objects"], expected["samples"]))

    def test_live_curve(self):
        for file, facts in self.each():
            with self.subTest(trace=file):
                curve = facts["live_samples_at_n_45ths_of_duration"]
                for n in (7, 23, 44, 45):
                    if len(curve) == 45:
                        at = f"{facts['duration_us'] * n // 45}us"
                        top = traces.report("top", file, "-n", "1", "--live-at", at)
                        self.assertEqual(top["all"]["allocated"]["samples"], curve[n - 1], n)

    def test_filters_that_the_viewer_tests(self):
        text = traces.golden("viewer_test_repo.filters.json")
        if text is None:
            self.skipTest("the trace is not here")
        filters = json.loads(text)["filters"]
        options = {
            "size above 1024 bytes (open bound)": ["--size-min", "1025B"],
            "lifetime below 5 us (open bound)": ["--lifetime-max", "4us"],
            "inside a call to a function whose name contains \"Array\"": ["--function", "Array"],
            "not inside a call to a function whose name contains \".b\"": ["--not-function", ".b"],
            "not on the minor heap": ["--not-heap", "minor"],
            "on the minor heap (a promoted block is collected at its promotion)":
                ["--heap", "minor"]}
        self.assertEqual(set(options), set(filters))
        for name, ids in filters.items():
            top = traces.report("top", "viewer_test_repo.ctf", *options[name])
            self.assertEqual(top["all"]["allocated"]["sampled_blocks"], len(ids), name)


class Reports(unittest.TestCase):
    trace = "leaky.ctf" if (traces.FOLDER / "leaky.ctf").is_file() else "flushes.ctf"

    def test_trees_add_up(self):
        for options in ((), ("--bottom-up",), ("--recursion",), ("--weight", "peak"),
                        ("--bottom-up", "--depth", "2"), ("--depth", "2")):
            with self.subTest(options=options):
                tree = traces.report("tree", self.trace, "--threshold", "0", *options)
                own = sum(node["self"]["samples"] for node in tree["nodes"])
                if "--depth" in options:
                    # What is cut off is nobody's own.
                    self.assertLess(own, tree["total"]["samples"])
                else:
                    self.assertEqual(own, tree["total"]["samples"])
                path = []
                for node in tree["nodes"]:
                    path[node["depth"] - 1:] = [node["total"]["samples"]]
                    if len(path) > 1:
                        self.assertLessEqual(path[-1], path[-2])

    def test_folded_weights_add_up(self):
        top = traces.report("top", self.trace)
        for weight, what in (("allocated", "allocated"), ("in-use", "in_use_at_end"),
                             ("peak", "at_peak")):
            text = traces.run("flamegraph", self.trace, "--weight", weight, "--short-paths",
                              "--unknown").stdout
            values = [int(line.rpartition(" ")[2]) for line in text.splitlines()]
            self.assertEqual(sum(values), top["all"][what]["samples"])

    def test_folded_stacks_are_those_of_the_json_tree(self):
        def own_lines(node, path=()):
            children = node.get("children", [])
            self.assertTrue(children or "children" not in node)
            own = node["samples"] - sum(child["samples"] for child in children)
            self.assertTrue(node["samples"] > 0 or not path)
            if own and path:
                yield f"{';'.join(path)} {own}"
            for child in children:
                yield from own_lines(child, (*path, child["name"]))

        for weight in ("allocated", "in-use", "peak"):
            for options in ([], ["--recursion"], ["--unknown"], ["--recursion", "--unknown"]):
                with self.subTest(weight=weight, options=options):
                    arguments = ("flamegraph", self.trace, "--weight", weight, *options)
                    report = json.loads(traces.run(*arguments, "--json").stdout)
                    self.assertEqual((report["report"], report["weight"]), ("flamegraph", weight))
                    lines = traces.run(*arguments, "--short-paths").stdout.splitlines()
                    self.assertEqual(list(own_lines(report["tree"])), lines)

    def test_hidden_functions_leave_amounts(self):
        names = [row["name"] for row in traces.report("top", self.trace)["rows"]
                 if not row["name"].startswith("0x")]  # of a code without a name
        hidden = traces.report("top", self.trace, "-n", "0", "--hide", "=" + names[0])
        self.assertNotIn(names[0], [row["name"] for row in hidden["rows"]])
        whole = traces.report("top", self.trace)["all"]
        self.assertEqual(hidden["all"], whole)

    def test_wrappers(self):
        for name in traces.traces():
            with self.subTest(trace=name):
                whole = traces.report("top", name + ".ctf", "-n", "0")
                hidden = traces.report("top", name + ".ctf", "-n", "0", "--hide-wrappers")
                found = whole["wrappers"]
                self.assertEqual({**found, "hidden": True}, hidden["wrappers"])
                self.assertEqual(hidden["all"], whole["all"])
                rows = {row["name"]: row["self"]["allocated"]["samples"] for row in whole["rows"]}
                passed = sum(rows[f] for f in found["functions"])
                total = whole["all"]["allocated"]["samples"]
                self.assertAlmostEqual(found["share"], passed / total if total else 0)
                self.assertEqual({row["name"] for row in hidden["rows"]} & set(found["functions"]), set())
                text = traces.run("top", name + ".ctf").stdout
                self.assertEqual("--hide-wrappers shows their callers" in text, bool(found["functions"]))

    def test_selections_split(self):
        whole = traces.report("top", self.trace)["all"]["allocated"]["samples"]
        name = traces.report("top", self.trace)["rows"][0]["name"]
        for one, other in ((["--function", "=" + name], ["--not-function", "=" + name]),
                           (["--function", "/^" + re.escape(name) + "$/"],
                            ["--not-function", "=" + name]),
                           (["--file", "ml"], ["--not-file", "ml"]),
                           (["--allocated-before", "1500us"], ["--allocated-after", "1501us"]),
                           (["--size-max", "24B"], ["--size-min", "25B"]),
                           (["--domain", "0"], ["--domain", "7"])):
            parts = [traces.report("top", self.trace, *options)["all"]["allocated"]["samples"]
                     for options in (one, other)]
            self.assertEqual(sum(parts), whole, one)

    def test_no_difference_from_itself(self):
        for options in ((), ("--by", "path"), ("--total", "--by", "site"),
                        ("--normalize", "duration"), ("--weight", "in-use")):
            diff = traces.report("diff", self.trace, self.trace, *options)
            self.assertTrue(all(row["change"] == 0 and not row["significant"]
                                for row in diff["rows"]))

    def test_difference(self):
        files = ("leaky.ctf", "leaky_dense.ctf")
        if not all((traces.FOLDER / f).is_file() for f in files):
            self.skipTest("the traces are not here")
        diff = traces.report("diff", *files, "-n", "0")
        for row in diff["rows"][:10]:
            rates = [traces.facts(f[:-4])["info"]["sample_rate"] for f in files]
            variance = sum(n * (1 - rate) * (8 / rate) ** 2 for n, rate in
                           zip((row["samples_before"], row["samples_after"]), rates))
            self.assertAlmostEqual(row["standard_error"] / variance ** 0.5, 1, delta=1e-9)
            z = abs(row["change"]) / row["standard_error"]
            if row["samples_before"] > 1000:  # nearly normal
                self.assertAlmostEqual(row["chance"], math.erfc(z / 2 ** 0.5), delta=0.03)
        # A trace of something else differs in everything large.
        other = traces.report("diff", "leaky.ctf", "churn.ctf")
        self.assertTrue(all(row["significant"] for row in other["rows"][:5]))

    def test_standard_input(self):
        with open(traces.FOLDER / self.trace, "rb") as file:
            data = file.read()
        whole = traces.report("top", self.trace, "--live-at-peak")
        result = traces.run("top", "-", "--live-at-peak", "--json", input=data, text=False)
        self.assertEqual(json.loads(result.stdout)["all"], whole["all"])
        self.assertEqual(result.stderr, b"")

    def test_tables(self):
        for command in ("top", "tree"):
            result = traces.run(command, self.trace, "--color", "always")
            self.assertEqual(result.returncode, 0)
            self.assertIn("\033[1m", result.stdout)
            plain = traces.run(command, self.trace)
            self.assertNotIn("\033", plain.stdout)
            self.assertEqual(re.sub("\033\\[[0-9]*m", "", result.stdout), plain.stdout)
            self.assertNotRegex(plain.stdout, r" \n")


if __name__ == "__main__":
    unittest.main()
