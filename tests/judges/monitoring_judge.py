# SPDX-License-Identifier: MIT
"""A real Prometheus scrapes a live server: the dashboard's queries and the alert rules are right, and name metrics
that there are."""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

import judging
from judging import LiveServer

FILES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "monitoring"
OPENMETRICS = "application/openmetrics-text;version=1.0.0"


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], cwd=FILES, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def dashboard_queries():
    for panel in json.loads((FILES / "dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$instance", ".*").replace("$__rate_interval", "30s")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Prometheus:
    """Scrapes `target` each second, until the end of the `with`."""

    def __init__(self, target, directory):
        config = pathlib.Path(directory) / "prometheus.yml"
        text = (FILES / "prometheus.yml").read_text()
        config.write_text(text.replace("15s", "1s").replace("127.0.0.1:8080", target)
                          .replace("- alerts.yml", f"- {FILES / 'alerts.yml'}"))
        self.url = f"http://127.0.0.1:{free_port()}"
        self.command = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={directory}/data",
                        f"--web.listen-address={self.url.removeprefix('http://')}", "--log.level=error"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)

    def ask(self, query):
        url = self.url + "/api/v1/query?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)["data"]["result"]

    def wait_for(self, query):
        for _ in range(300):
            try:
                if found := self.ask(query):
                    return found
            except OSError:
                pass  # it has not begun to listen
            time.sleep(0.1)
        raise AssertionError(f"no answer to {query}")


def main():
    if shutil.which("promtool") is None or shutil.which("prometheus") is None:
        judging.skip("no prometheus and promtool (Debian: prometheus)")
    promtool("check", "config", "prometheus.yml")
    promtool("test", "rules", "alerts_test.yml")
    with LiveServer() as server, tempfile.TemporaryDirectory() as directory:
        page = server.get("/metrics", OPENMETRICS)[1].decode()
        wanted = re.findall(r"\bmemprof_\w+", (FILES / "alerts.yml").read_text() + " ".join(dashboard_queries()))
        for name in set(wanted):
            # Budgets are published by programs that have some: unit.endpoints.
            assert name.startswith("memprof_budget_") or re.search(rf"^{name}[ {{]", page, re.MULTILINE), name
        with Prometheus(server.url.removeprefix("http://"), directory) as prometheus:
            assert server.evaluate("sum(i = 1..10^9, 3^20000 % (i + 1))") == 422
            cut = 'memprof_limit_interrupts_total{limit="allocations"} >= 1'
            assert len(prometheus.wait_for(cut)) == 1
            prometheus.wait_for("rate(memprof_samples_total[30s])")
            inside = ('memprof_inuse_bytes >= on (instance) memprof_inuse_bytes_bound{side="lower"}'
                      ' <= on (instance) memprof_inuse_bytes_bound{side="upper"}')
            assert len(prometheus.ask(inside)) == 1
            answers = {query: len(prometheus.ask(query)) for query in dashboard_queries()}
            for query, count in answers.items():
                assert count > 0 or "memprof_budget_" in query, query
        print(f"{len(answers)} queries, {len(set(wanted))} metrics")


if __name__ == "__main__":
    main()
