# SPDX-License-Identifier: MIT
"""`memprof record` on programs that nobody here wrote, and on our server: what they print is unchanged, and
what the trace says agrees with heaptrack, which records every allocation of another run."""

import base64
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "tracing"))

import heaptrack  # noqa: E402
import workloads  # noqa: E402

MEMPROF = os.environ["MEMPROF_COMMAND"]

# What no report may show: our own code (of a program that is not ours), and the linker's names of C++ functions.
OURS = re.compile(r"\bmemprof::|libmemprof|memprof-preload|\(anonymous namespace\)::(new|malloc)_slow\b")
MANGLED = re.compile(r"(?<![\w.])_Z[NTSKL]?\d*\w+")

# The totals must agree to 6.2 standard deviations (a correct sampler fails once in 1e9 runs): 3.2 times as
# wide as the intervals of 95 % that are printed. And to what two runs of a program differ by.
WIDER = 3.2
RUNS_DIFFER = 0.03


def memprof(*arguments):
    return subprocess.run([MEMPROF, *arguments], capture_output=True, text=True, check=True).stdout


def recorded(trace, command, rate, stdin=b"", environment=None):
    """Runs it under record; its output."""
    run = subprocess.run([MEMPROF, "record", "-q", "-f", "-o", str(trace), "--rate", str(rate), "--", *command],
                         input=stdin, env={**os.environ, **(environment or {})}, capture_output=True,
                         check=False)
    assert run.returncode == 0, run.stderr.decode(errors="replace")
    return run.stdout


def served_functions(trace):
    """The names in the index that a page gets."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        memprof("serve", str(trace), "--html", str(page), "--no-sources")
        data = re.search(r'id="memprof-data"[^>]*>([^<]*)<', page.read_text(encoding="utf-8"))[1]
    index = gzip.decompress(base64.b64decode(data))
    return json.loads(index[16:16 + int.from_bytes(index[8:16], "little")])["functions"]


class RealPrograms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = pathlib.Path(folder.name)
        self.commands = workloads.commands(self.directory, size=0.5)

    def check_agreement(self, trace, truth, top_functions):
        report = json.loads(memprof("top", "--json", "--all-frames", "-n", "0", "--sort", "total", str(trace)))
        self.assert_within(report["all"]["allocated"], truth.counted_bytes())
        inclusive, peak = truth.functions_at_peak()
        self.assertGreater(report["all"]["at_peak"]["upper"] * (1 + RUNS_DIFFER), peak * 0.9)
        ours = {heaptrack.bare_name(row["name"]) for row in report["rows"]}
        # Names that both can know: not those of the C library's start, nor of code without symbols.
        named = [name for name in sorted(inclusive, key=inclusive.get, reverse=True)
                 if inclusive[name] >= 0.05 * peak and name and "0x" not in name
                 and not name.startswith(("_start", "__libc_start", "<unresolved")) and " in " not in name]
        self.assertGreaterEqual(len(named), 1)
        missing = [name for name in named[:top_functions] if name not in ours]
        self.assertLessEqual(len(missing), top_functions // 10, f"not in our top: {missing}")

    def check_amounts(self, trace, truth, functions):
        """What the largest functions allocated, with all that they call: as many bytes as heaptrack counted, by the
        words that the library counts, of which one of each block is a header's."""
        rows = {}
        for row in json.loads(memprof("top", "--json", "--all-frames", "-n", "0", "--sort", "total", str(trace)))["rows"]:
            rows.setdefault(heaptrack.bare_name(row["name"]), []).append(row["total"]["allocated"])
        exact, total, cut = truth.functions_allocated()
        self.assertEqual(total, truth.counted_bytes())
        print(f"{total} bytes; heaptrack has cut the stacks of {truth.cut_bytes}")
        compared = 0
        for name in sorted(exact, key=exact.get, reverse=True):
            # Overloads have one name here, and are several rows, which may call each other.
            if compared == functions or exact[name] < 0.02 * total or len(rows.get(name, [])) != 1:
                continue
            # It keeps some 60 calls, the innermost ones: of what a program's start calls it misses the deepest.
            with self.subTest(function=name):
                self.assert_within(rows[name][0], exact[name], exact[name] + cut[name])
            print(f"{name}: {exact[name]} bytes by heaptrack, {cut[name]} more if it was among the calls that were cut, "
                  f"{rows[name][0]['bytes']:.0f} ({rows[name][0]['lower']:.0f} to {rows[name][0]['upper']:.0f}) here")
            compared += 1
        self.assertGreaterEqual(compared, functions // 2)

    def check_names(self, trace):
        """No frame of ours, no mangled name; and the program's own functions, not the standard library's."""
        top = [row["name"] for row in json.loads(memprof("top", "--json", "-n", "25", str(trace)))["rows"]]
        tree = [node["function"] for node in json.loads(memprof("tree", "--json", str(trace)))["nodes"]]
        sites = [row["function"] for row in json.loads(memprof("stats", "--json", str(trace)))["sites"]]
        page = served_functions(trace)
        for report, names in (("top", top), ("tree", tree), ("stats", sites), ("serve", page)):
            self.assertGreater(len(names), 0, report)
            self.assertEqual([n for n in names if OURS.search(n) or MANGLED.search(n)], [], report)
        for report, names in (("top", top), ("stats", sites)):
            library = [n for n in names if re.match(r"(std|__gnu_cxx)::|operator new", n)]
            self.assertLessEqual(len(library), len(names) // 10, f"{report}: {library}")

    def assert_within(self, estimate, exact, at_most=None):
        """The estimate's interval has what is true, which is `exact`, or from there to `at_most`."""
        at_most = at_most or exact
        value = estimate["bytes"]
        low = value - WIDER * (value - estimate["lower"]) - RUNS_DIFFER * at_most
        high = value + WIDER * (estimate["upper"] - value) + RUNS_DIFFER * exact
        self.assertGreater(estimate["samples"], 100)
        self.assertTrue(low <= at_most and exact <= high, f"{exact} to {at_most} is not in {low:.0f} to {high:.0f}")

    def run_program(self, name, rate, top_functions):
        if name not in self.commands:
            self.skipTest(f"{name} is not installed")
        program = self.commands[name]
        plain, status = program.run()
        self.assertEqual(status, 0)
        trace = self.directory / "trace.ctf"
        self.assertEqual(recorded(trace, program.command, rate, program.stdin, program.environment), plain)
        self.check_names(trace)
        if not heaptrack.there():
            self.skipTest("heaptrack is not installed: the output is unchanged, the totals were not compared")
        subprocess.run(heaptrack.recording(self.directory, program.command), input=program.stdin,
                       env={**os.environ, **program.environment}, stdout=subprocess.DEVNULL, check=True)
        truth = heaptrack.Record(self.directory)
        self.check_agreement(trace, truth, top_functions)
        self.check_amounts(trace, truth, top_functions)

    def test_python(self):
        self.run_program("python3", 1e-4, 10)

    def test_compiler(self):
        self.run_program("cc1plus", 1e-4, 5)

    def test_sqlite(self):
        # So that 2 % of its 22 MB are 280 samples: fewer than 100 of them come once in 1e30 runs.
        self.run_program("sqlite3", 5e-3, 10)

    def test_redis(self):
        if not workloads.Redis.there():
            self.skipTest("redis-server is not installed")
        trace = self.directory / "redis.ctf"
        self.serve_redis([MEMPROF, "record", "-q", "-o", str(trace), "--rate", "1e-3", "--"])
        self.check_names(trace)
        if not heaptrack.there():
            self.skipTest("heaptrack is not installed: redis works, the totals were not compared")
        self.serve_redis(heaptrack.recording(self.directory, []))
        truth = heaptrack.Record(self.directory)
        self.check_agreement(trace, truth, 10)
        self.check_amounts(trace, truth, 10)

    def serve_redis(self, prefix):
        """Runs redis-server under the prefix and asks it things."""
        server = workloads.Redis(self.directory)
        process = subprocess.Popen([*prefix, *server.command()], stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(server.stop)  # heaptrack is a script: killed, it leaves the server behind
        server.wait_until_up(process)
        self.assertEqual(server.load(5000).strip(), b"499")
        server.stop()
        self.assertEqual(process.wait(60), 0)

    def test_our_server(self):
        server = pathlib.Path(MEMPROF).parents[1] / "examples" / "memprof-example-server"
        if not server.exists():
            self.skipTest("the examples are not built")
        trace = self.directory / "server.ctf"
        wrapper = self.directory / "traced-server"
        wrapper.write_text(f"#!/bin/sh\nexec {MEMPROF} record -q -o {trace} --rate 1e-4 -- {server} \"$@\"\n",
                           encoding="utf-8")
        wrapper.chmod(0o755)
        client = subprocess.run([sys.executable, str(ROOT / "examples" / "server" / "client.py"),
                                 str(wrapper)], capture_output=True, text=True, check=False)
        self.assertEqual(client.returncode, 0, client.stdout + client.stderr)
        report = json.loads(memprof("top", "--json", "-n", "0", "--sort", "total", str(trace)))
        names = " ".join(row["name"] for row in report["rows"])
        self.assertIn("evaluate", names)
        # The limits are those of the copy of the library that the server is linked with.
        self.assertLessEqual({"allocations", "memory"}, {i["limit"] for i in report["interrupts"]})


if __name__ == "__main__":
    unittest.main()
