# SPDX-License-Identifier: MIT
"""What the page answers on the golden traces: against the other commands for the same selection, and against
the engine that the server had before the page had one (tests/data/answers)."""

import gzip
import json
import pathlib
import sys
import unittest
import urllib.parse

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "tools"))

import page_answers
import reports_test
import serving
import traces

sys.setrecursionlimit(20_000)  # graphs are as deep as stacks
SELECTIONS = (
    [],
    ["--live-at-peak"],
    ["--live-at-end"],
    ["--allocated-after", "1ms", "--allocated-before", "3s"],
    ["--lifetime-min", "10us"],
    ["--heap", "major"],
    ["--not-heap", "minor", "--live-after", "1ms"],
    ["--function", "a", "--not-function", "/b[cd]/"],
    ["--size-min", "24B", "--size-max", "1MiB"],
    ["--hide", "List"],
    ["--freed-within", "0B"],
    ["--freed-within", "256KiB", "--heap", "minor", "--size-min", "24B"],
)


class Answers(unittest.TestCase):
    """What the page says is what the commands say."""

    @classmethod
    def setUpClass(cls):
        cls.engine = page_answers.Engine()

    @classmethod
    def tearDownClass(cls):
        if cls.engine.stop() != 0:
            raise RuntimeError("answers.mjs failed")

    def page(self, *arguments):
        page = page_answers.Page(self.engine, *arguments)
        self.assertEqual(page.status, 0)
        return page

    def selections(self, name):
        chosen = [list(s) for s in SELECTIONS]
        facts = traces.facts(name)
        for description in (facts or {}).get("viewer_filters", {}):
            chosen.append(reports_test.options_of(description))
        return chosen

    def same_amount(self, listed, reported):
        samples, blocks, value, lower, upper, *objects = listed
        self.assertEqual((samples, blocks), (reported["samples"], reported.get("sampled_blocks", blocks)))
        for a, b in zip((value, lower, upper), (reported["bytes"], reported["lower"], reported["upper"])):
            self.assertTrue(serving.close(a, b), (listed, reported))
        if "objects" in reported:  # sums of the same terms in another order
            for a, b in zip(objects, (reported[k] for k in ("objects", "objects_lower", "objects_upper"))):
                self.assertAlmostEqual(a, b, delta=1e-6 * max(1, a))
        self.assertLessEqual(objects[1], objects[0])
        self.assertLessEqual(objects[0], objects[2])

    def same_sum(self, listed, reported):
        for amount, name in zip(listed, ("allocated", "in_use_at_end", "at_peak")):
            self.same_amount(amount, reported[name])

    def check_table(self, page, file, options):
        top = traces.report("top", file, "-n", "0", "--by", "function", "--sort", "total", *options)
        table = page.get("table", [("by", "function"), ("sort", "total"), ("limit", "100000"),
                                          *serving.parameters_of(options)])
        self.assertEqual(table["more"], 0)
        rows = {row["name"]: row for row in top["rows"]}
        self.assertEqual({row[0] for row in table["rows"]}, set(rows))
        for name, own, total in table["rows"]:
            self.same_sum(own, rows[name]["self"])
            self.same_sum(total, rows[name]["total"])
        samples = [row[2][0][0] for row in table["rows"]]
        self.assertEqual(samples, sorted(samples, reverse=True))
        return top

    def check_graph(self, page, file, options, value, direction):
        arguments = ["--weight", value.replace("_", "-"), "--threshold", "0", *options]
        if direction == "sites":
            arguments.append("--bottom-up")
        tree = traces.report("tree", file, *arguments)
        graph = page.get("graph", [("value", value), ("from", direction), ("least", "0"),
                                          *serving.parameters_of(options)])
        self.assertEqual(graph["total"][0], tree["total"]["samples"])
        paths, path = {}, []
        for node in tree["nodes"]:
            path[node["depth"] - 1:] = [node["function"]]
            paths[tuple(path)] = node
        seen, shown = {}, 0
        stack = [(graph["root"], ())]
        while stack:
            (name, flags, own, total, children, hidden), path = stack.pop()
            here = path + (name,)
            if path or name != "(all)":
                seen[here[1:]] = (own, total)
            below = own[0] + sum(child[3][0] for child in children) + (hidden[1][0] if hidden else 0)
            self.assertEqual(below, total[0])
            self.assertEqual([c[3][0] for c in children], sorted((c[3][0] for c in children), reverse=True))
            shown += 1
            stack += [(child, here) for child in children]
        self.assertLessEqual(shown, 4000)
        if graph["least"] == 0:
            self.assertEqual(set(seen), set(paths))
        for path, (own, total) in seen.items():
            self.same_amount(own, paths[path]["self"])
            self.same_amount(total, paths[path]["total"])

    def check_folded(self, page, file, options):
        for value in ("allocated", "in_use", "peak"):
            for unit in ("samples", "bytes"):
                flat = traces.run("flamegraph", "--weight", value.replace("_", "-"), "--unit", unit,
                                  *options, file)
                self.assertEqual(flat.returncode, 0, flat.stderr)
                self.assertEqual(page.get("folded", [("value", value), ("unit", unit),
                                                             *serving.parameters_of(options)]), flat.stdout)

    def check_others(self, page, options, top):
        """Routes that no command has: by what must add up."""
        chosen = serving.parameters_of(options)
        allocated = top["all"]["allocated"]["samples"]
        series = page.get("series", chosen)
        live = series["total"] if series["filtered"] is None else series["filtered"]
        self.assertLessEqual(len(live), 450)
        self.assertEqual(sum(series["allocated"]), allocated)
        self.assertEqual(sum(series["allocated"]) - sum(series["freed"]), live[-1] if live else 0)
        self.assertEqual(live[-1] if live else 0, top["all"]["in_use_at_end"]["samples"])
        peak = series["peak"] if series["filtered"] is None else series["filtered_peak"]
        self.assertEqual(peak["amount"]["samples"], top["all"]["at_peak"]["samples"])
        points = [("points", "100")]
        few = page.get("series", [*chosen, *points])
        wanted = few["total"] if few["filtered"] is None else few["filtered"]
        for route, rows in (("stacked", "rows"), ("ages", "bands")):
            stacked = page.get(route, [*chosen, *points])
            self.assertEqual(stacked["step_us"], few["step_us"])
            self.assertEqual([sum(x) for x in zip(*(r["samples"] for r in stacked[rows]))], wanted, route)
        histograms = page.get("histograms", chosen)
        for bins in histograms.values():
            self.assertEqual(sum(b["samples"] for b in bins), allocated)
            self.assertEqual(sum(b["amount"]["blocks"] for b in bins),
                             top["all"]["allocated"]["sampled_blocks"])
        survived = sum(b["survived"] for b in histograms["lifetimes"])
        self.assertEqual(survived, top["all"]["in_use_at_end"]["samples"])
        scatter = page.get("scatter", chosen)
        self.assertEqual(scatter["objects"], top["all"]["allocated"]["sampled_blocks"])
        self.assertEqual(len(scatter["points"]), min(4000, scatter["objects"]))
        survival = page.get("survival", [*chosen, ("functions", "main")])["curves"]
        self.assertEqual([c["name"] for c in survival], [None, "main"])
        for curve in survival:
            shares = [p[1] for p in curve["points"]]
            self.assertEqual(shares, sorted(shares, reverse=True))
        for name, minor, promoted, share, lower, upper in page.get("promotion", chosen)["rows"]:
            self.assertLessEqual(promoted[0], minor[0], name)
            self.assertTrue(serving.close(share, promoted[0] / minor[0]))
            self.assertLessEqual(lower, share)
            self.assertGreaterEqual(upper, share)
        suspects = page.get("suspects", chosen)
        self.assertEqual(set(suspects), {"leaks", "queues", "caches"})

    def check_around(self, page, options, top):
        chosen = serving.parameters_of(options)
        for row in top["rows"][:5]:
            around = page.get("around", [*chosen, ("function", row["name"]), ("least", "0")])
            for query in ([("zoom", row["name"])], [("recursion", "keep"), ("inlined", "0")]):
                page.get("graph", [*chosen, *query])
            for side in ("callers", "callees"):
                self.assertEqual(around[side][0], row["name"])
                if "--hide" not in options:
                    self.same_amount(around[side][3], row["total"]["allocated"])

    def test_all_routes(self):
        compared = 0
        for name in traces.traces():
            page = self.page(name + ".ctf", "--quiet")
            for options in self.selections(name):
                with self.subTest(trace=name, options=options):
                    top = self.check_table(page, name + ".ctf", options)
                    self.check_folded(page, name + ".ctf", options)
                    for value, direction in (("allocated", "main"), ("in_use", "sites"), ("peak", "main")):
                        self.check_graph(page, name + ".ctf", options, value, direction)
                    self.check_others(page, options, top)
                    self.check_around(page, options, top)
                    compared += 1
            self.check_trace(page, name)
        self.assertGreaterEqual(compared, 100)

    def check_trace(self, page, name):
        facts = traces.facts(name)
        trace = page.trace
        stats = traces.report("stats", name + ".ctf")
        self.assertEqual(trace["sample_rate"], stats["sample_rate"])
        self.assertEqual(trace["api"], 2)
        self.assertIsNone(trace["other"])
        if facts is None:
            return
        # Numbers of JavaScript: 53 bits. Of several domains the last event in the file may be an earlier one.
        last = float(facts["last_event_us"] or 0)
        if len(trace["domains"]) > 1:
            self.assertGreaterEqual(float(trace["duration_us"]), last)
        else:
            self.assertEqual(float(trace["duration_us"]), last)
        self.assertEqual(trace["total"]["allocated"]["samples"], facts["samples"]["total"])
        self.assertEqual(trace["peak_time_us"], facts["peak_live_in_file_order"]["time_us"])
        if trace["sample_rate"] == 1:
            self.assertEqual(trace["total"]["peak"]["samples"], facts["peak_live_in_file_order"]["samples"])
        self.assertEqual(float(trace["pid"]), float(facts["info"]["pid"]))
        self.assertEqual(trace["version"], facts["version"])

    def test_zoom_shows_what_was_hidden(self):
        page = self.page("viewer_test_repo.ctf", "--quiet")
        node = page.get("graph", [("least", "0")])["root"]
        path = []
        while node[4]:
            node = node[4][0]
            path.append(("zoom", node[0]))
        zoomed = page.get("graph", [("least", "1"), *path])["root"]
        self.assertEqual(zoomed[0], path[-1][1])
        self.assertEqual(zoomed[3], node[3])
        whole = node = page.get("graph", [("least", "1")])["root"]
        while node[4]:  # what is below all of it
            self.assertEqual([child[3][0] for child in node[4]], [whole[3][0]])
            node = node[4][0]
        self.assertGreater(node[5][0], 0)
        self.assertEqual(node[5][1][0] + node[2][0], whole[3][0])
        nowhere = page.get("graph", [("zoom", "no such function")])["root"]
        self.assertEqual(nowhere[3][0], 0)

    def test_temporary(self):
        """Of each function what is temporary, and all that it allocated: as `memprof temporary`."""
        compared = 0
        for name in traces.traces():
            page = self.page(name + ".ctf", "--quiet")
            for within in ("0B", "20KiB", "1GiB"):
                report = traces.report("temporary", name + ".ctf", "-n", "0", "--within", within)
                table = page.get("table", [("freed-within", within), ("limit", "100000")])
                rows = {row[0]: (row[1][0], all_of) for row, all_of in zip(table["rows"], table["allocated"])
                        if row[1][0][0] > 0}
                self.assertEqual(set(rows), {row["name"] for row in report["rows"]})
                for row in report["rows"]:
                    self.same_amount(rows[row["name"]][0], row["temporary"])
                    self.same_amount(rows[row["name"]][1], row["allocated"])
                    compared += 1  # some twenty in each of the traces that are committed
                series = page.get("series", [("freed-within", within)])
                self.assertEqual(sum(series["allocated"]), report["all"]["temporary"]["samples"])
        self.assertGreaterEqual(compared, 50)

    def test_diff(self):
        before, after = "lists_and_sets_repo_v1.ctf", "viewer_test_repo.ctf"
        page = self.page(after, "--against", before, "--quiet")
        for how in ([], ["--total"], ["--by", "path"], ["--by", "module", "--normalize", "total"],
                    ["--weight", "in-use", "--normalize", "duration"]):
            expected = traces.report("diff", before, after, "-n", "0", *how)
            parameters = [("base.other", "1"), ("limit", "100000")]
            if "--total" in how:
                parameters.append(("compare", "total"))
            for option, value in zip(how[::2], how[1::2]):
                if value == "path":
                    parameters.append(("compare", "paths"))
                elif option != "--total":
                    parameters.append((option[2:].replace("weight", "value"), value.replace("-", "_")))
            diff = page.get("diff", parameters)
            self.assertEqual([row[0] for row in diff["rows"]], [r["name"] for r in expected["rows"]])
            for row, wanted in zip(diff["rows"], expected["rows"]):
                for a, b in zip(row[1:5], (wanted["before"], wanted["after"],
                                           wanted["standard_error"], wanted["chance"])):
                    self.assertTrue(serving.close(a, b), (row, wanted))
                self.assertEqual(bool(row[5]), wanted["significant"])
            if ("compare", "paths") in parameters:
                self.assertTrue(serving.close(diff["graph"][3] - diff["graph"][2],
                                      diff["total"][2] - diff["total"][1]))
            else:
                self.assertIsNone(diff["graph"])
        same = page.get("diff", [("base.allocated-before", "0us"), ("compare", "paths")])
        self.assertGreater(same["total"][2], same["total"][1])
        self.assertEqual(page.trace["other"]["file"], before)

    def equal(self, ours, theirs, where):
        """Numbers may differ by their last digits."""
        if isinstance(theirs, (int, float)) and isinstance(ours, (int, float)):
            self.assertTrue(abs(ours - theirs) <= 1e-9 * max(abs(ours), abs(theirs), 1e-6), (where, ours, theirs))
        elif isinstance(theirs, list) and isinstance(ours, list):
            self.assertEqual(len(ours), len(theirs), where)
            for a, b in zip(ours, theirs):
                self.equal(a, b, where)
        elif isinstance(theirs, dict) and isinstance(ours, dict):
            self.assertEqual(set(ours), set(theirs), where)
            for name, value in theirs.items():
                self.equal(ours[name], value, where)
        else:
            self.assertEqual(ours, theirs, where)

    def left_of(self, route, answer):
        """What the former engine said in the same way: without what is in use at a peak, which it took for
        the greatest number of samples; and without the intervals of shares and numbers of blocks."""
        if route == "series":
            for name in ("peak", "filtered_peak"):
                if answer[name] is not None:
                    del answer[name]["amount"]
        elif route == "histograms":
            for bins in answer.values():
                for one in bins:
                    del one["amount"]["objects"][1:]
        elif route == "survival":
            for curve in answer["curves"]:
                curve["points"] = [point[:2] for point in curve["points"]]
        elif route == "promotion":
            for row in answer["rows"]:
                row[1:] = [row[1][:6], row[2][:6], row[3]]
        elif route == "diff":
            for row in answer["rows"] + [answer["total"]]:
                del row[3:]
            answer["graph"] = None
        return answer

    def test_what_no_command_says(self):
        """Series, ages, lifetimes: as the server's own engine answered, when there was one. Suspects are functions
        now, no longer sites, and flags say whose code it is, too."""
        # Compared with `tree` and `top` above; in the order of what is in use at their peaks; functions now.
        others = ("graph", "around", "stacked", "suspects")
        former = json.loads(gzip.decompress((TESTS / "data" / "answers" / "former_engine.json.gz").read_bytes()))
        compared = 0
        for name, answers in former.items():
            page = self.page(str(traces.COMMITTED / (name + ".ctf")), "--quiet")
            for question, theirs in answers.items():
                route, _, query = question.partition("?")
                if "live-at-peak" in query or "value=peak" in query or route in others:
                    continue
                ours = page.get(route, urllib.parse.parse_qsl(query, keep_blank_values=True))
                for tree, children in (("root", 4), ("callers", 4), ("callees", 4), ("graph", 5)):
                    if ours.get(tree):
                        self.without_kinds(ours[tree], children)
                self.equal(self.left_of(route, ours), self.left_of(route, theirs), (name, question))
                compared += 1
        self.assertGreaterEqual(compared, 300)

    def without_kinds(self, node, children):
        node[1] &= 15
        for child in node[children]:
            self.without_kinds(child, children)


if __name__ == "__main__":
    unittest.main()
