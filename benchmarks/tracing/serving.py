# SPDX-License-Identifier: MIT
"""How fast `memprof serve` answers, and what it holds in memory.

usage: serving.py BUILD [--megabytes N] [--rounds N] [--traces DIRECTORY]

Traces memprof-example-leaky_server at rate 1 until the trace is that large, and serves it (and leaky_dense
of DIRECTORY): seconds from the start of the command to the first graph, then for each filter of the page to
the answers that one view takes (graph, time line, table), each filter for the first time. The median and the
worst of the filters over the rounds, which are new servers. Then the same in Chromium, until it is drawn
(viewer/e2e/timing.mjs; left out where there is no Chromium or viewer/node_modules).
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import reading


def filters(trace):
    """As memtrace_viewer's, with times and sizes that split the trace."""
    at = [f"{int(trace['duration_us'] * share)}us" for share in (0.25, 0.5, 0.75)]
    name = trace["top"]
    return {
        "live at the end": "live-at-end=1",
        "live at the peak": "live-at-peak=1",
        "live at a time": f"live-at={at[1]}",
        "allocated between": f"allocated-after={at[0]}&allocated-before={at[1]}",
        "live between": f"live-after={at[1]}&live-before={at[2]}",
        "collected between": f"collected-after={at[0]}&collected-before={at[1]}",
        "size": "size-min=64B&size-max=4KiB",
        "lifetime": f"lifetime-min={at[0]}",
        "inside a function": f"function=%3D{urllib.request.quote(name)}",
        "not inside": f"not-function=%3D{urllib.request.quote(name)}",
        "hide": f"hide=%3D{urllib.request.quote(name)}",
        "regular expression": "function=%2F%5E%5Ba-m%5D%2F",
    }


def get(url, path):
    with urllib.request.urlopen(url + path) as answer:
        return json.load(answer)


def resident_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return {key: int(re.search(key + r":\s+(\d+)", status)[1]) / 1024 for key in ("VmRSS", "VmHWM")}


def view(url, query):
    """What a page asks for when a filter changes."""
    for path in ("graph?", "series?points=450&", "table?by=function&"):
        get(url, f"api/{path}{query}")


def one_round(memprof, file):
    started = time.perf_counter()
    with subprocess.Popen([memprof, "serve", str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as server:
        try:
            url = None
            for line in server.stdout:
                if found := re.search(r"http://\S+", line):
                    url = found[0]
                    break
            if url is None:
                sys.exit("memprof serve ended")
            get(url, "api/graph")
            first = time.perf_counter() - started
            trace = get(url, "api/trace")
            trace["top"] = get(url, "api/table?limit=1")["rows"][0][0]
            seconds = {}
            for name, query in filters(trace).items():
                before = time.perf_counter()
                view(url, query)
                seconds[name] = time.perf_counter() - before
            memory = resident_mib(server.pid)
        finally:
            server.terminate()
    return trace["objects"], first, seconds, memory


def in_browser(memprof, file, rounds):
    """Median seconds to the first graph, of a filter, and of the slowest filter; None where there is no browser."""
    viewer = pathlib.Path(__file__).resolve().parents[2] / "viewer"
    if not ((viewer / "node_modules").is_dir() and shutil.which("node") and shutil.which("chromium")):
        return None
    runs = [json.loads(subprocess.run(["node", "e2e/timing.mjs", str(file.resolve())], cwd=viewer, check=True,
                                      stdout=subprocess.PIPE, env={**os.environ, "MEMPROF_COMMAND": memprof}).stdout)
            for _ in range(rounds)]
    each = [statistics.median(r["filters"][key] for r in runs) for key in runs[0]["filters"]]
    return statistics.median(r["first"] for r in runs), statistics.median(each), max(each)


def row(memprof, name, file, rounds):
    results = [one_round(memprof, file) for _ in range(rounds)]
    objects = results[0][0]
    first = statistics.median(r[1] for r in results)
    each = {key: statistics.median(r[2][key] for r in results) for key in results[0][2]}
    worst = max(each, key=each.get)
    memory = max(r[3]["VmRSS"] for r in results)
    page = in_browser(memprof, file, rounds)
    drawn = "- | - | -" if page is None else f"{page[0]:.2f} | {page[1] * 1e3:.0f} | {page[2] * 1e3:.0f}"
    print(f"| {name} | {file.stat().st_size / 1e6:.1f} | {objects:,} | {first:.2f} | "
          f"{statistics.median(each.values()) * 1e3:.0f} | {each[worst] * 1e3:.0f} ({worst}) | {drawn} | {memory:.0f} |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description="How fast `memprof serve` answers.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--traces", type=pathlib.Path)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    memprof = str((options.build / "bin" / "memprof").resolve())
    with tempfile.TemporaryDirectory() as directory:
        trace, title = reading.recorded(memprof, options.build, options.megabytes, directory)
        print("| trace | MB | sampled blocks | start to first graph, s | a filter, ms | the slowest, ms | "
              "page: first graph, s | a filter, ms | the slowest, ms | server, MiB |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        if options.traces:
            row(memprof, "leaky_dense", options.traces / "leaky_dense.ctf", options.rounds)
        row(memprof, "leaky_server", trace, options.rounds)
        print(f"\nleaky_server: {title[0].lower()}{title[1:]}. A filter: graph, time line and table, one after "
              "another, asked for the first time. Page: in Chromium, from a server that has read the trace, until it is drawn.")


if __name__ == "__main__":
    main()
