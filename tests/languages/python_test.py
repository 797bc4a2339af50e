# SPDX-License-Identifier: MIT
"""examples/python/memprof.py, in an interpreter under the preload library."""

import os
import pathlib
import sqlite3
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"))

import memprof  # noqa: E402


def query():
    """One that takes as much as it gets."""
    database = sqlite3.connect(":memory:")
    try:
        database.execute("with recursive n(i) as (select 1 union all select i + 1 from n)"
                         " select group_concat(printf('%.*c', 10000, 'x')) from n").fetchall()
    finally:
        database.close()


def parser():
    """Deep and wide, for a parser in Python."""
    tree = []
    for line in iter(lambda: "key = value", None):
        name, value = line.split(" = ")
        tree.append({"name": name, "value": value, "words": list(line)})


def buffer():
    return bytearray(1 << 30)


# Of small objects in arenas no limit knows.
SMALL = os.environ.get("PYTHONMALLOC") == "malloc"
RUNAWAYS = (parser, query, buffer) if SMALL else (query, buffer)


class Limits(unittest.TestCase):
    def test_runaways_and_good_work(self):
        for runaway in RUNAWAYS:
            for _ in range(3):
                with self.subTest(runaway.__name__):
                    with self.assertRaises(MemoryError) as caught, memprof.limit(memory="64 MiB") as limit:
                        runaway()
                    self.assertEqual(limit.kind, "memory")
                    self.assertIn("64 MiB", limit.message)
                    if hasattr(caught.exception, "__notes__"):
                        self.assertIn(limit.message, caught.exception.__notes__)
        for i in range(1000):
            with memprof.limit(memory="64 MiB") as limit:
                words = {str(n): [n] * 3 for n in range(i % 50 * 10)}
            self.assertEqual(len(words), i % 50 * 10)
        self.assertGreater(limit.allocated, 0)

    def test_a_thousand_runaways(self):
        for _ in range(1000):
            with self.assertRaises(MemoryError), memprof.limit(memory="2 MiB"):
                RUNAWAYS[0 if SMALL else 1]()
        self.assertEqual(sum(range(1000)), 499500)

    def test_nested_and_in_threads(self):
        hit = []

        def work():
            with memprof.limit(memory="64 MiB"):
                try:
                    with memprof.limit(memory="4 MiB"):
                        return bytearray(16 << 20)
                except MemoryError:
                    hit.append(len([0] * 100_000))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(hit, [100_000] * 4)

    def test_time(self):
        with self.assertRaises(memprof.LimitHit) as caught, memprof.limit(time=0.02):
            while not memprof.should_stop():
                pass
        self.assertEqual(caught.exception.kind, "deadline")
        with memprof.limit(time=60):
            pass

    def test_interleaved(self):
        def task():
            with memprof.limit(memory="64 MiB") as limit:
                yield
                yield limit

        tasks = [task() for _ in range(20)]
        for t in tasks + tasks:
            next(t)
        for t in tasks:  # not in the order of a stack
            self.assertEqual(list(t), [])
        self.assertFalse(memprof.should_stop())

    def test_around_a_limit_that_refuses_all(self):
        with self.assertRaises(MemoryError), memprof.limit(memory="4 MiB", after_hit=memprof.REFUSE_LARGE):
            with memprof.limit(memory="64 MiB"):
                bytearray(16 << 20)
        with memprof.limit(memory="4 MiB") as limit:
            with self.assertRaises(RuntimeError):
                limit.__enter__()

    def test_another_exception_stays(self):
        with self.assertRaises(KeyError), memprof.limit(memory="64 MiB"):
            {}["nothing"]

    def test_bad_arguments(self):
        for bad in ({"memory": "much"}, {"memory": "1 TB"}, {"memory": -2}, {"time": -1.5}, {"after_hit": 9}):
            with self.subTest(bad), self.assertRaises(ValueError), memprof.limit(**bad):
                pass


if __name__ == "__main__":
    unittest.main()
