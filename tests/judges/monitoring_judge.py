# SPDX-License-Identifier: MIT
"""A real Prometheus scrapes two live servers: the dashboard's queries and the alert rules are right, name metrics
that there are, and can be drawn."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

import judging
from judging import LiveServer
from prometheus import FILES, Prometheus, dashboard, query_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "dashboard"))

import picture  # noqa: E402
import series  # noqa: E402

OPENMETRICS = "application/openmetrics-text;version=1.0.0"
RUNAWAY = "sum(i = 1..10^9, 3^20000 % (i + 1))"


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], cwd=FILES, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def dashboard_queries():
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            yield query_of(target, "30s")


def check_names(server):
    """Metrics that the dashboard and the rules name are on the page."""
    page = server.get("/metrics", OPENMETRICS)[1].decode()
    wanted = set(re.findall(r"\bmemprof_\w+", (FILES / "alerts.yml").read_text() + " ".join(dashboard_queries())))
    for name in wanted:
        # Budgets are published by programs that have some: unit.endpoints.
        assert name.startswith("memprof_budget_") or re.search(rf"^{name}[ {{]", page, re.MULTILINE), name
    return wanted


def check_picture(prometheus, begin):
    until = time.time() + 60
    while True:  # a rate needs a second scrape, before one of the picture's steps
        panels = series.panels(prometheus, begin, time.time(), "30s")
        empty = [p for p in panels if not p.series and "Budgets" not in p.title]
        if not empty:
            break
        assert time.time() < until, empty
        time.sleep(1)
    text = picture.draw("dashboard", panels, time.time() - begin)
    document = xml.dom.minidom.parseString(text)
    assert len(document.getElementsByTagName("path")) == sum(len(p.series) for p in panels)
    assert text.count("No data") == 1


def check_exemplars(prometheus, server, begin):
    """The request that hit a limit is found from the counter that counted it."""
    ids = ["4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"]
    for trace_id in ids:
        assert server.evaluate(RUNAWAY, traceparent=f"00-{trace_id}-00f067aa0ba902b7-01") == 422
        found, until = [], time.time() + 30
        while not found and time.time() < until:  # the next scrape has it
            found = [(s["seriesLabels"], e) for s in prometheus.exemplars("memprof_limit_hits_total", begin, time.time() + 1)
                     for e in s["exemplars"] if e["labels"] == {"trace_id": trace_id}]
            time.sleep(0.2)
        assert len(found) == 1, found  # scraped again and again, it is one
        labels, exemplar = found[0]
        assert (labels["limit"], labels["instance"]) == ("allocations", "one"), labels
        assert float(exemplar["value"]) == 1 and begin <= exemplar["timestamp"] <= time.time(), exemplar


def main():
    if shutil.which("promtool") is None or shutil.which("prometheus") is None:
        judging.skip("no prometheus and promtool (Debian: prometheus)")
    promtool("check", "config", "prometheus.yml")
    promtool("test", "rules", "alerts_test.yml")
    with LiveServer() as one, LiveServer() as two, tempfile.TemporaryDirectory() as directory:
        names = check_names(one)
        targets = {"one": one.url.removeprefix("http://"), "two": two.url.removeprefix("http://")}
        begin = time.time()
        with Prometheus(targets, directory) as prometheus:
            for server, count in ((one, 1), (two, 2)):
                for _ in range(count):
                    assert server.evaluate(RUNAWAY) == 422
            cut = 'sum by (instance) (memprof_interrupted_tasks_total{limit="allocations"})'
            prometheus.wait_for(f"sum({cut}) >= 3")
            assert {a["metric"]["instance"]: a["value"][1] for a in prometheus.ask(cut)} == {"one": "1", "two": "2"}
            prometheus.wait_for('rate(memprof_samples_total{instance="one"}[30s])')
            prometheus.wait_for('rate(memprof_samples_total{instance="two"}[30s])')
            inside = ('memprof_inuse_bytes >= on (instance) memprof_inuse_bytes_bound{side="lower"}'
                      ' <= on (instance) memprof_inuse_bytes_bound{side="upper"}')
            assert len(prometheus.ask(inside)) == 2
            answers = {query: len(prometheus.ask(query)) for query in dashboard_queries()}
            for query, count in answers.items():
                assert count >= 2 or "memprof_budget_" in query, query
            check_picture(prometheus, begin)
            check_exemplars(prometheus, one, begin)
        print(f"{len(answers)} queries, {len(names)} metrics")


if __name__ == "__main__":
    main()
