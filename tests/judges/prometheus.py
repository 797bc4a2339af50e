# SPDX-License-Identifier: MIT
"""A real Prometheus that scrapes each second, and the queries of the dashboard in examples/monitoring."""

import json
import pathlib
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request

FILES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "monitoring"


def dashboard():
    return json.loads((FILES / "dashboard.json").read_text(encoding="utf-8"))


def query_of(target, rate_interval):
    """What Grafana asks for a target of the dashboard, with all instances chosen."""
    return target["expr"].replace("$instance", ".*").replace("$__rate_interval", rate_interval)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Prometheus:
    """Scrapes `targets`, {instance: address}, each second, until the end of the `with`."""

    def __init__(self, targets, directory):
        self.config = pathlib.Path(directory) / "prometheus.yml"
        text = (FILES / "prometheus.yml").read_text(encoding="utf-8")
        of_example = '      - targets: ["127.0.0.1:8080"]\n'
        assert of_example in text
        ours = "".join(f'      - targets: ["{address}"]\n        labels: {{instance: "{instance}"}}\n'
                       for instance, address in targets.items())
        self.config.write_text(text.replace("15s", "1s").replace(of_example, ours)
                               .replace("- alerts.yml", f"- {FILES / 'alerts.yml'}"), encoding="utf-8")
        self.url = f"http://127.0.0.1:{free_port()}"
        self.command = ["prometheus", f"--config.file={self.config}", f"--storage.tsdb.path={directory}/data",
                        f"--web.listen-address={self.url.removeprefix('http://')}", "--log.level=error",
                        "--enable-feature=exemplar-storage"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.send_signal(signal.SIGCONT)
        self.process.wait(timeout=30)

    def pause(self):
        """No scrapes until `resume`."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def get(self, path, **parameters):
        url = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            data = json.load(answer)["data"]
        return data["result"] if "result" in data else data

    def ask(self, query):
        return self.get("query", query=query)

    def ask_range(self, query, begin, end, step=1):
        """[{"metric": labels, "values": [[time, text]...]}...]"""
        return self.get("query_range", query=query, start=begin, end=end, step=step)

    def exemplars(self, query, begin, end):
        """[{"seriesLabels": labels, "exemplars": [{"labels": ..., "value": text, "timestamp": s}...]}...]"""
        return self.get("query_exemplars", query=query, start=begin, end=end)

    def wait_for(self, query):
        for _ in range(300):
            try:
                if found := self.ask(query):
                    return found
            except OSError:
                pass  # it has not begun to listen
            time.sleep(0.1)
        raise AssertionError(f"no answer to {query}")
