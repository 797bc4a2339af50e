# SPDX-License-Identifier: MIT
"""`memprof bounds`: numbers as in docs/statistical.md, and what bad input gets."""

import json
import os
import subprocess
import unittest

MIB = 1 << 20


def run(*arguments):
    return subprocess.run([os.environ["MEMPROF_COMMAND"], *arguments], capture_output=True, text=True,
                          check=False)


def bounds(*arguments):
    result = run("bounds", "--json", *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["bounds"]


class Bounds(unittest.TestCase):
    def test_of_a_limit(self):
        one, other = bounds("--limit", "64MiB", "--risk", "1e-9", "4e-15")
        self.assertEqual((one["samples"], one["limit_bytes"]), (839, 64 * MIB))
        self.assertEqual(int(one["safe_bytes"] / MIB * 1000), 51632)
        self.assertEqual(-int(-one["certain_interruption_bytes"] / MIB * 1000 // 1), 78167)
        self.assertEqual((one["risk"], other["risk"]), (1e-9, 4e-15))
        self.assertLess(other["safe_bytes"], one["safe_bytes"])

    def test_of_words(self):
        (row,) = bounds("--limit", "1000kw", "--risk", "4e-15")
        self.assertEqual(row["safe_bytes"], 8 * 408067)

    def test_the_other_way_round(self):
        (row,) = bounds("--allow", "50MiB", "--risk", "1e-9")
        (back,) = bounds("--limit", f"{row['limit_bytes']}B", "--risk", "1e-9")
        (less,) = bounds("--limit", f"{row['limit_bytes'] - 1}B", "--risk", "1e-9")
        self.assertGreaterEqual(back["safe_bytes"], 50 * MIB)
        self.assertLess(less["safe_bytes"], 50 * MIB)

    def test_chooses_a_rate(self):
        (row,) = bounds("--allow", "50MiB", "--stop-by", "80MiB", "--risk", "1e-9")
        self.assertLessEqual(row["certain_interruption_bytes"], 80 * MIB)
        self.assertTrue(row["stops_in_time"])
        (coarser,) = bounds("--allow", "50MiB", "--stop-by", "80MiB", "--risk", "1e-9",
                            "--rate", str(row["sampling_rate"] / 1.2))
        self.assertFalse(coarser["stops_in_time"])

    def test_threads_that_share_a_limit(self):
        (one,) = bounds("--limit", "64MiB", "--risk", "1e-9")
        (four,) = bounds("--limit", "64MiB", "--risk", "1e-9", "--threads", "4")
        # docs/statistical.md (22): the three others look every 1000 words.
        self.assertEqual(four["certain_interruption_bytes"] - one["certain_interruption_bytes"], 3 * 8000)
        self.assertEqual(four["safe_bytes"], one["safe_bytes"])
        for wrong in ("0", "-1", "1000001"):
            result = run("bounds", "--limit", "64MiB", "--threads", wrong)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(f"--threads: {wrong} is not in [1, 1000000]", result.stderr)

    def test_probabilities(self):
        (row,) = bounds("--limit", "330Mw", "--amount", "300Mw", "--risk", "1e-9")
        self.assertAlmostEqual(row["probability_interrupted"] / 2.0e-65, 1, delta=0.02)
        (row,) = bounds("--limit", "64MiB", "--amount", "50MiB", "--risk", "1e-9", "--memory")
        self.assertAlmostEqual(row["probability_interrupted"] / 5.74e-11, 1, delta=0.01)
        self.assertEqual(int(row["safe_bytes"] / MIB * 1000), 50808)

    def test_table(self):
        result = run("bounds", "--limit", "64MiB", "--amount", "60MiB")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for text in ("51.63 MiB", "78.17 MiB", "36.40 MiB", "102.9 MiB", "interrupted 0.0327"):
            self.assertIn(text, result.stdout)

    def test_help(self):
        result = run("bounds", "--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--stop-by", result.stdout)

    def test_bad_input_is_named(self):
        for arguments, name in (
                ((), "--limit"),
                (("--limit", "64"), "64"),
                (("--limit", "64MB"), "64MB"),
                (("--limit", "much"), "much"),
                (("--limit", "-1MiB"), "--limit"),
                (("--limit", "1e30MiB"), "--limit"),
                (("--limit", "nanMiB"), "nanMiB"),
                (("--limit", "64MiB", "--risk", "0"), "--risk"),
                (("--limit", "64MiB", "--risk", "1.5"), "1.5"),
                (("--limit", "64MiB", "--risk", "1e-9x"), "1e-9x"),
                (("--limit", "64MiB", "--rate", "0"), "--rate"),
                (("--limit", "64MiB", "--rate", "2"), "--rate"),
                (("--limit", "64MiB", "--amount", ""), "--amount"),
                (("--limit", "64MiB", "--allow", "1MiB"), "--allow"),
                (("--limit", "64MiB", "--stop-by", "1MiB"), "--stop-by"),
                (("--allow", "64MiB", "--stop-by", "1MiB"), "--stop-by"),
                (("--limit", "64MiB", "--frequency", "1"), "--frequency"),
                (("--limit", "64MiB", "--rate", "1e-300"), "certain_interruption")):
            with self.subTest(arguments=arguments):
                result = run("bounds", *arguments)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stdout, "")
                self.assertIn(name, result.stderr)
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("limits").returncode, 2)

    def test_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([os.environ["MEMPROF_COMMAND"], "bounds", "--limit", "1MiB"],
                                    stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
