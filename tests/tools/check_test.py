# SPDX-License-Identifier: MIT
"""`memprof check`: exit statuses by the lower end of the interval, baselines and suppressions."""

import json
import pathlib
import tempfile
import unittest

import traces

LEAKY = "leaky.ctf"


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        every = traces.report("top", LEAKY)["all"]
        self.in_use, self.peak, self.allocated = (
            every[k] for k in ("in_use_at_end", "at_peak", "allocated"))

    def check(self, *arguments, status):
        result = traces.run("check", LEAKY, *arguments)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout

    def test_limits_are_judged_by_the_lower_end(self):
        for option, found in (("--max-live-at-end", self.in_use), ("--max-peak", self.peak),
                              ("--max-allocated", self.allocated)):
            with self.subTest(option=option):
                lower, value = int(found["lower"]), int(found["bytes"])
                self.assertLess(lower, value)
                # Between the lower end and the estimate: it may be within, so it passes.
                self.assertIn("ok  :", self.check(option, f"{(lower + value) // 2}B", status=0))
                self.assertIn("OVER:", self.check(option, f"{lower - 1}B", status=3))

    def test_several(self):
        report = json.loads(self.check("--max-live-at-end", "1KiB", "--max-peak", "1TiB", "--json", status=3))
        self.assertFalse(report["passed"])
        self.assertEqual([(x["limit"], x["exceeded"]) for x in report["limits"]],
                         [("max-peak", False), ("max-live-at-end", True)])

    def test_baseline(self):
        self.assertIn("no function", self.check("--baseline", LEAKY, status=0))
        # Without the second half of its time the trace has less, surely.
        half = self.folder / "half.ctf"
        seconds = traces.facts("leaky")["duration_us"] / 2e6 if "duration_us" in traces.facts("leaky") else 4
        self.assertEqual(traces.run("subsample", LEAKY, "--to", str(seconds), "-o", str(half)).returncode, 0)
        grew = self.check("--baseline", str(half), "--weight", "allocated", status=3)
        self.assertIn("GREW: (all):", grew)
        self.assertIn("no function", self.check("--baseline", str(half), "--weight", "allocated",
                                                "--growth", "1TiB", status=0))
        less = traces.run("check", str(half), "--baseline", LEAKY, "--weight", "allocated")
        self.assertEqual(less.returncode, 0, less.stdout)

    def test_suppressions(self):
        rows = traces.report("top", LEAKY, "--sort", "in-use")["rows"]
        name = rows[0]["name"]
        known = self.folder / "known.txt"
        known.write_text(f"# what we know of\n\n={name}  # a cache\n")
        limit = f"{int(self.in_use['lower']) - 1}B"
        self.check("--max-live-at-end", limit, status=3)
        text = self.check("--max-live-at-end", limit, "--suppressions", str(known), status=0)
        self.assertIn("suppressed:", text)
        report = json.loads(self.check("--max-live-at-end", limit, "--suppressions", str(known), "--json",
                                       status=0))
        self.assertEqual(report["suppressions"], [{"pattern": "=" + name, "reason": "a cache"}])
        known.write_text("f  # good\ng\n")
        result = traces.run("check", LEAKY, "--max-peak", "1TiB", "--suppressions", str(known))
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("known.txt:2: no reason", result.stderr)
        known.write_text("/(/  # bad\n")
        result = traces.run("check", LEAKY, "--max-peak", "1TiB", "--suppressions", str(known))
        self.assertEqual(result.returncode, 2)
        self.assertIn("known.txt:1:", result.stderr)

    def test_usage(self):
        for arguments, text in (((), "nothing to check"), (("--growth", "1KiB", "--max-peak", "1KiB"), "--growth"),
                                (("--max-peak", "many"), "max-peak")):
            result = traces.run("check", LEAKY, *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main()
