# SPDX-License-Identifier: MIT
"""The series of a dashboard's panels, as Prometheus answers the dashboard's own queries."""

import collections
import re

from prometheus import dashboard, query_of

# points: [(seconds since the beginning, value)]; dashed: as an override of the panel says.
Series = collections.namedtuple("Series", "name points dashed")
Panel = collections.namedtuple("Panel", "title description unit place series")


def legend(pattern, labels):
    return re.sub(r"\{\{\s*(\w+)\s*\}\}", lambda found: labels.get(found[1], ""), pattern)


def is_dashed(panel, name):
    for override in panel["fieldConfig"]["overrides"]:
        matcher = override["matcher"]
        assert matcher["id"] == "byRegexp", matcher
        if re.search(matcher["options"].strip("/"), name):
            return any(p["id"] == "custom.lineStyle" and p["value"]["fill"] == "dash" for p in override["properties"])
    return False


def panels(prometheus, begin, end, rate_interval="4s"):
    """Of the dashboard, for times from `begin` to `end`, in seconds. Grafana takes four scrapes as $__rate_interval."""
    result = []
    for panel in dashboard()["panels"]:
        found = []
        for target in panel["targets"]:
            for answer in prometheus.ask_range(query_of(target, rate_interval), begin, end):
                points = [(time - begin, float(value)) for time, value in answer["values"]]
                name = legend(target["legendFormat"], answer["metric"])
                found.append(Series(name, points, is_dashed(panel, name)))
        result.append(Panel(panel["title"], panel["description"], panel["fieldConfig"]["defaults"]["unit"],
                            panel["gridPos"], found))
    return result
