# SPDX-License-Identifier: MIT
"""How long a user of `memprof serve` waits, and what the server holds in memory.

usage: serving.py BUILD [--megabytes N ...] [--rounds N] [--traces DIRECTORY]

Traces memprof-example-leaky_server at rate 1 until the trace is that large, once for each size, and looks at it
(and at leaky_dense of DIRECTORY) in Chromium with viewer/e2e/timing.mjs: seconds from the start of `memprof serve`
until the first graph is drawn; for each of ten filters until graph, time line and totals are drawn anew; the most
memory of the server. The medians of the rounds, each with a new server and a new browser; and the file that --html
writes. Needs Chromium and viewer/node_modules.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import reading

VIEWER = pathlib.Path(__file__).resolve().parents[2] / "viewer"


def in_browser(memprof, file):
    run = subprocess.run(["node", "e2e/timing.mjs", str(file.resolve())], cwd=VIEWER, check=True,
                         stdout=subprocess.PIPE, env={**os.environ, "MEMPROF_COMMAND": memprof})
    return json.loads(run.stdout)


def one_file(memprof, file):
    """Seconds to write the offline page, and its MB."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "a.html"
        started = time.perf_counter()
        subprocess.run([memprof, "serve", "--quiet", str(file), "--html", str(out)], check=True)
        return time.perf_counter() - started, out.stat().st_size / 1e6


def row(memprof, name, file, rounds):
    runs = [in_browser(memprof, file) for _ in range(rounds)]
    median = {key: statistics.median(r[key] for r in runs) for key in ("first", "ready", "memory")}
    filters = {key: statistics.median(r["filters"][key] for r in runs) for key in runs[0]["filters"]}
    worst = max(filters, key=filters.get)
    seconds, megabytes = one_file(memprof, file)
    trace = runs[0]["trace"]
    thinned = trace["file_sample_rate"] / trace["sample_rate"]
    print(f"| {name} | {file.stat().st_size / 1e6:.0f} | {trace['events']:,} | {trace['objects']:,} | 1 of {thinned:.0f} | "
          f"{median['ready']:.2f} | {median['first']:.2f} | {statistics.median(filters.values()) * 1e3:.0f} | "
          f"{filters[worst] * 1e3:.0f} ({worst.split('=')[0]}) | {median['memory']:.0f} | {seconds:.1f} s, {megabytes:.0f} MB |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description="How long a user of `memprof serve` waits.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--traces", type=pathlib.Path)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[100, 380])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    memprof = str((options.build / "bin" / "memprof").resolve())
    print("| trace | MB | events | sampled blocks | samples shown | ready, s | first graph, s | a filter, ms | "
          "the slowest, ms | server, MiB | --html |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    if options.traces:
        row(memprof, "leaky_dense", options.traces / "leaky_dense.ctf", options.rounds)
    titles = []
    for megabytes in options.megabytes:
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as directory:
            trace, title = reading.recorded(memprof, options.build, megabytes, directory)
            row(memprof, "leaky_server", trace, options.rounds)
            titles.append(title[0].lower() + title[1:])
    print(f"\nleaky_server: {'; '.join(titles)}. Ready: from the start of the command until it says its address. First "
          "graph: from the start of the command until it is drawn, in a browser that runs already.")


if __name__ == "__main__":
    main()
