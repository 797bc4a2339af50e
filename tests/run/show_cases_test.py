# SPDX-License-Identifier: MIT
"""`memprof run --memory 200MiB` on python3, a leak in C, redis filled past it, and g++ on a template bomb."""

import os
import re
import shutil
import subprocess
import time
import unittest

from limited import COMMAND, Limited, compile_leak

JOB = """
def parse(number):
    return str(number) * 200

def collect(number):
    events = []
    for i in range(number):
        events.append(parse(i))
    return events

print(len(collect(1000000)))
"""
# Each instantiation asks for two more.
BOMB = """
template <int Depth, unsigned Path>
struct node {
  static constexpr unsigned value = node<Depth - 1, 2 * Path>::value + node<Depth - 1, 2 * Path + 1>::value;
};
template <unsigned Path>
struct node<0, Path> {
  static constexpr unsigned value = 1;
};
int main() { return node<20, 1>::value; }
"""
LIMIT = ("--memory", "200MiB")


def setUpModule():
    global leak
    leak = compile_leak()


class ShowCases(Limited):
    def first_line(self):
        return self.reports()[-1].splitlines()[0]

    def test_a_leak_in_c(self):
        result = self.run_limited(*LIMIT, "--on-limit", "term", program=[leak, 400, 400, "wait"])
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertRegex(self.first_line(), r"^grow holds \S+ % of the .* that leak \(\d+\) has by malloc: "
                         r"over the limit of 200 MiB$")

    def test_python(self):
        script = self.here / "job.py"
        script.write_text(JOB, encoding="utf-8")
        for allocator in ("default", "malloc"):
            with self.subTest(allocator):
                result = self.run_limited(*LIMIT, "--on-limit", "term", program=["python3", script],
                                          env={**os.environ, "PYTHONMALLOC": allocator})
                self.assertEqual(result.returncode, 124, result.stderr)
                # Strings, not what all of Python's requests pass through; a python without symbols has no name for them.
                self.assertRegex(result.stderr, r"(?m)^memprof: (?!_PyObject_Malloc)\S+ holds .* that python3\S* \(\d+\) "
                                 r"has by malloc: over the limit of 200 MiB$")

    @unittest.skipUnless(shutil.which("g++"), "no g++ here")
    def test_a_template_bomb(self):
        source = self.here / "bomb.cpp"
        source.write_text(BOMB, encoding="utf-8")
        result = self.run_limited(*LIMIT, "--resident", "--on-limit", "term", program=["g++", "-fsyntax-only", source])
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertRegex(self.first_line(), r"^cc1plus \(\d+\) holds \d+ MiB; \d+ MiB resident, most of it not "
                         r"from malloc: over the limit of 200 MiB$")

    @unittest.skipUnless(shutil.which("redis-server") and shutil.which("redis-benchmark"), "no redis here")
    def test_redis_filled_past_the_limit_lives(self):
        socket = self.here / "redis"

        def redis(*words, **more):
            return subprocess.run(["redis-cli", "-s", socket, *words], text=True, capture_output=True, timeout=30,
                                  check=False, **more).stdout

        with subprocess.Popen([COMMAND, "run", *LIMIT, "--on-limit", "refuse", "--", "redis-server", "--port", "0",
                               "--unixsocket", socket, "--save", "", "--daemonize", "no"],
                              cwd=self.here, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            until = time.time() + 30
            while time.time() < until and redis("ping") != "PONG\n":
                time.sleep(0.05)
            for key in "ab":
                self.assertEqual(redis("-x", "set", key, input=key * 10000), "OK\n")
            # Small values are granted, over the limit, too.
            subprocess.run(["redis-benchmark", "-s", socket, "-t", "set", "-d", "50000", "-r", "1000000", "-n", "6000",
                            "-P", "4", "-c", "4", "-q"], check=True, stdout=subprocess.DEVNULL, timeout=60)
            used = int(re.search(r"used_memory:(\d+)", redis("info", "memory"))[1])
            self.assertGreater(used, 250 << 20)
            self.assertIn("Insufficient memory, failed allocating transient memory", redis("lcs", "a", "b"))
            self.assertEqual(redis("ping"), "PONG\n")
            self.assertEqual(redis("get", "a"), "a" * 10000 + "\n")
            redis("shutdown", "nosave")
            errors = run.communicate(timeout=30)[1]
        self.assertEqual(run.returncode, 0, errors)
        self.assertRegex(errors, r"(?m)^memprof: (?!zmalloc)\S+ holds .* has by malloc: over the limit of 200 MiB$")
        self.assertRegex(errors, r": a request for 38\d MiB was refused under the limit of 200 MiB\n")


if __name__ == "__main__":
    unittest.main()
