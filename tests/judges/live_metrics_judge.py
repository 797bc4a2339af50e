# SPDX-License-Identifier: MIT
"""Prometheus' promtool accepts the metrics of a live server, as text and as OpenMetrics, while runaways are cut."""

import shutil
import subprocess

import judging
from judging import LiveServer

OPENMETRICS = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3"


def samples(page):
    """{name with labels: value}, checking what promtool does not: each series once, families together."""
    values, families, last = {}, set(), None
    for line in page.splitlines():
        if line.startswith("# TYPE "):
            last = line.split()[2]
            assert last not in families, f"{last} comes twice"
            families.add(last)
        elif line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            assert name not in values, f"{name} comes twice"
            assert name.startswith(last), (name, last)
            values[name] = float(value)
    return values


def main():
    if shutil.which("promtool") is None:
        judging.skip("no promtool (Debian: prometheus)")
    with LiveServer() as server:
        for _ in range(3):
            assert server.evaluate("2^100") == 200
        assert server.evaluate("sum(i = 1..10^9, 3^20000 % (i + 1))") == 422
        kind, text = server.get("/metrics")
        assert kind == "text/plain; version=0.0.4; charset=utf-8", kind
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        values = samples(text.decode())
        assert values['memprof_limit_interrupts_total{limit="allocations"}'] >= 1, values
        assert values['evaluator_requests_total{outcome="ok"}'] == 3
        lower, upper = (values[f'memprof_inuse_bytes_bound{{side="{side}",confidence="0.95"}}']
                        for side in ("lower", "upper"))
        assert lower <= values["memprof_inuse_bytes"] <= upper

        kind, text = server.get("/metrics", OPENMETRICS)
        assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8", kind
        assert text.endswith(b"\n# EOF\n"), text[-100:]
        again = samples(text.decode().removesuffix("# EOF\n"))
        assert set(again) == set(values), set(again) ^ set(values)
        print(f"{len(values)} series")


if __name__ == "__main__":
    main()
