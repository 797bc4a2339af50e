#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What being scraped costs a loaded server, and what the dashboard then shows.

    cmake --preset release -DMEMPROF_BUILD_BENCHMARKS=ON
    cmake --build --preset release --target memprof-example-server memprof-benchmark-scraping-load \\
        memprof-benchmark-scraping-tenants
    scripts/scraping.py --record

16 clients keep the example server busy, and every fortieth request is a runaway that a limit cuts. A real
Prometheus (Debian: prometheus) on the same machine scrapes it each second, and rests, by turns, so that both get
the same noise: in each round it rests, scrapes, scrapes, rests. The two rests of a round, compared with each other,
show the noise. Then the server is idle, and its processor time for a scrape is measured. At last
both targets, the server and tenants with budgets, are scraped for the picture, while load comes and goes; the
dashboard's own queries are put to that Prometheus, and their answers are drawn.

--record writes the table into docs/operations.md and the picture beside it. Ends with 1 if an answer was wrong
or a runaway was not cut.
"""

import argparse
import collections
import contextlib
import datetime
import http.client
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / part) for part in ("tests/judges", "scripts/dashboard", "scripts/performance")]
sys.dont_write_bytecode = True

import insert  # noqa: E402
import picture  # noqa: E402
import series  # noqa: E402
from prometheus import Prometheus  # noqa: E402

CLIENTS = 16
OPENMETRICS = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3"
PERCENTILES = (50, 99, 99.9)
# Seconds of the picture: idle, load, idle again.
SCENE = (8, 60, 8)
# What is asked for to measure its cost: how often here, and how many seconds apart by those who scrape.
REQUESTS = {"/metrics": (500, 1), "/debug/pprof/allocs": (50, 10)}


@contextlib.contextmanager
def running(*command):
    """The process, and the first line that it prints."""
    process = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.terminate()
        process.wait(timeout=60)


class Load:
    """Clients at work, until `finish`."""

    def __init__(self, program, port):
        self.process = subprocess.Popen([program, str(port), str(CLIENTS)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def interval(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()

    def finish(self):
        """{interval: [microseconds]}, and the sums as a text."""
        text, _ = self.process.communicate(timeout=120)
        *lines, sums = text.splitlines()
        if self.process.returncode != 0:
            sys.exit(f"the load failed: {sums}")
        taken = collections.defaultdict(list)
        for line in lines:
            name, microseconds = line.split()
            taken[name].append(int(microseconds))
        return taken, sums


def percentile(values, percent):
    """Of sorted values."""
    return values[min(len(values) - 1, int(len(values) * percent / 100))]


def measure_latency(load_program, port, prometheus, seconds):
    """(intervals, rounds, sums): of each round the intervals rest1, scraped, rest2."""
    length = max(1.0, seconds / 6)
    load = Load(load_program, port)
    for round_number in range(3):
        for name, action, turns in (("rest1", prometheus.pause, 1), ("scraped", prometheus.resume, 2),
                                    ("rest2", prometheus.pause, 1)):
            action()
            load.interval("settling")
            time.sleep(0.5)
            load.interval(f"{round_number}-{name}")
            time.sleep(length * turns)
    prometheus.resume()
    intervals, sums = load.finish()
    return {name: sorted(values) for name, values in intervals.items() if name != "settling"}, sums


def summary(intervals):
    """{percent: (ms at rest, ms scraped, ratios, ratios of the rests)}"""
    result = {}
    for percent in PERCENTILES:
        def of(*names):
            return percentile(sorted(v for name in names for v in intervals[name]), percent) / 1000
        rounds = sorted({name.split("-")[0] for name in intervals})
        rests = [name for name in intervals if "rest" in name]
        scraped = [name for name in intervals if name.endswith("scraped")]
        ratios = [of(f"{n}-scraped") / of(f"{n}-rest1", f"{n}-rest2") for n in rounds]
        noise = [of(f"{n}-rest2") / of(f"{n}-rest1") for n in rounds]
        result[percent] = of(*rests), of(*scraped), ratios, noise
    return result


def processor_seconds(pid):
    """What the process has used, threads that ended included."""
    return time.clock_gettime((~pid << 3) | 2)  # MAKE_PROCESS_CPUCLOCK of the kernel


def cost_of(pid, address, path, count):
    """Processor time of one request to the idle process, in seconds."""
    connection = http.client.HTTPConnection(address, timeout=60)

    def ask():
        connection.request("GET", path, headers={"Accept": OPENMETRICS})
        answer = connection.getresponse()
        assert answer.status == 200
        return len(answer.read())

    ask()
    before = processor_seconds(pid)
    size = [ask() for _ in range(count)][-1]
    return (processor_seconds(pid) - before) / count, size


def table(seconds, load, found, costs, sums):
    def ratios(values):
        return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"

    lines = [f"`scripts/scraping.py` on {datetime.date.today():%-d %B %Y}, {os.cpu_count()} CPUs, {CLIENTS} workers at "
             f"full load and a Prometheus on the same machine, which scrapes each second for {seconds:g} s and rests for "
             f"as long, by turns. {sums}. Load average before: {load:.1f}.", "",
             "| latency of good requests | at rest | scraped | ratio, in 3 rounds | of the rests among themselves |",
             "|---|---|---|---|---|"]
    for percent, (rest, scraped, ratio, noise) in found.items():
        lines.append(f"| p{percent:g} | {rest:.2f} ms | {scraped:.2f} ms | {ratios(ratio)} | {ratios(noise)} |")
    lines += ["", "| a request | bytes | processor time of the server | asked for each | of a CPU |", "|---|---|---|---|---|"]
    for path, (cost, size) in costs.items():
        seconds = REQUESTS[path][1]
        lines.append(f"| `{path}` | {size} | {cost * 1e6:.0f} us | {seconds} s | {cost / seconds * 100:.3f} % |")
    return "\n".join(lines)


def take_picture(load_program, port, prometheus):
    before, loaded, after = SCENE
    time.sleep(6)  # until rates have forgotten what was before
    begin = time.time()
    time.sleep(before)
    load = Load(load_program, port)
    load.interval("picture")
    time.sleep(loaded)
    load.finish()
    time.sleep(after)
    end = time.time()
    return picture.draw("memprof: the dashboard of examples/monitoring, one scrape a second",
                        series.panels(prometheus, begin, end), end - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release",
                        help="a build folder with the programs (default: build/release)")
    parser.add_argument("--seconds", type=float, default=60, help="that are scraped")
    parser.add_argument("--record", action="store_true", help="write docs/operations.md and its picture")
    parser.add_argument("--picture", type=pathlib.Path, help="a file for the picture")
    parser.add_argument("--prometheus-data", type=pathlib.Path, metavar="FOLDER",
                        help="where Prometheus keeps its configuration and data (default: nowhere)")
    arguments = parser.parse_args()
    if shutil.which("prometheus") is None:
        sys.exit("no prometheus (Debian: prometheus)")
    busy = os.getloadavg()[0]
    load = arguments.build / "benchmarks" / "memprof-benchmark-scraping-load"
    with contextlib.ExitStack() as stack:
        server, line = stack.enter_context(running(
            arguments.build / "examples" / "memprof-example-server", "--tasks", str(CLIENTS),
            "--global-memory", "16MiB"))
        address = line.rsplit("/", 1)[1]
        port = address.rsplit(":", 1)[1]
        _, tenants = stack.enter_context(running(arguments.build / "benchmarks" / "memprof-benchmark-scraping-tenants"))
        directory = arguments.prometheus_data or stack.enter_context(tempfile.TemporaryDirectory())
        pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
        prometheus = stack.enter_context(Prometheus({"evaluator": address, "tenants": tenants}, directory))
        prometheus.wait_for("memprof_inuse_bytes")
        prometheus.pause()
        costs = {path: cost_of(server.pid, address, path, count)
                 for path, (count, _) in REQUESTS.items()}
        prometheus.resume()
        intervals, sums = measure_latency(load, port, prometheus, arguments.seconds)
        text = table(arguments.seconds, busy, summary(intervals), costs, sums)
        print(text, flush=True)
        drawn = take_picture(load, port, prometheus)
    if arguments.picture:
        arguments.picture.write_text(drawn, encoding="utf-8")
    if arguments.record:
        (ROOT / "docs" / "operations").mkdir(exist_ok=True)
        (ROOT / "docs" / "operations" / "dashboard.svg").write_text(drawn, encoding="utf-8")
        page = ROOT / "docs" / "operations.md"
        page.write_text(insert.insert(page.read_text(encoding="utf-8"), "scraping", text), encoding="utf-8")


if __name__ == "__main__":
    main()
