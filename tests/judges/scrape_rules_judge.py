# SPDX-License-Identifier: MIT
"""What Parca and Pyroscope's collector (Grafana Alloy) ask of a scraped profile, as their sources say, asked of a
live server that works. Profiles are decoded by pprof's own schema.

Parca: pkg/config (paths), pkg/scrape (200, no redirect), pkg/normalizer/validate.go (ids, values, labels).
Alloy: pyroscope.scrape: validate.go (content), delta_profiles.go (what grows), scrape_loop.go (seconds).
"""

import gzip
import http.client
import pathlib
import threading
import time

import judging
from decoding import decoded
from judging import LiveServer

SCHEMA = pathlib.Path("/usr/share/gocode/src/github.com/google/pprof/proto")
TYPES = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]
LOAD = "sum(i = 1..2000, 3^2000 % (i + 1))"


class Scraped:
    """A profile as a collector gets it."""

    def __init__(self, server, path):
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
        begin = time.monotonic()
        connection.request("GET", path, headers={"Accept-Encoding": "gzip", "User-Agent": "a collector"})
        answer = connection.getresponse()
        self.body = answer.read()
        self.seconds = time.monotonic() - begin
        connection.close()
        assert answer.status == 200, (path, answer.status)  # http.client follows no redirect
        assert answer.headers["Content-Type"] == "application/octet-stream"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        # A Go client that asked for gzip unpacks what says so: the file must stay a gzip file.
        assert answer.headers["Content-Encoding"] is None
        name = path.split("?", maxsplit=1)[0].rsplit("/", 1)[1]
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert self.body.startswith(b"\x1f\x8b")
        self.profile = decoded(gzip.decompress(self.body), "perftools.profiles.Profile", f"-I{SCHEMA}",
                               "profile.proto")
        self.strings = [s.decode() for s in self.profile["string_table"]]

    def text(self, index):
        return self.strings[index]

    def value_type(self, message):
        return self.text(message.get("type", [0])[0]), self.text(message.get("unit", [0])[0])

    def check(self, default_type):
        p = self.profile
        assert self.strings[0] == ""
        assert [self.value_type(t) for t in p["sample_type"]] == TYPES
        assert self.value_type(p["period_type"][0]) == ("space", "bytes")
        assert p["period"][0] > 0 and p["time_nanos"][0] > 1e18
        assert self.text(p["default_sample_type"][0]) == default_type
        for table in ("mapping", "location", "function"):
            assert [m["id"][0] for m in p[table]] == list(range(1, len(p[table]) + 1)), table
        assert self.text(p["mapping"][0]["filename"][0]).endswith("memprof-example-server")
        for m in p["location"]:
            assert 1 <= m["mapping_id"][0] <= len(p["mapping"])
            assert all(1 <= line["function_id"][0] <= len(p["function"]) for line in m["line"])
        for m in p["function"]:
            assert self.text(m["name"][0]) != ""
        assert p["sample"]
        for sample in p["sample"]:
            assert len(sample["value"]) == len(TYPES) and min(sample["value"]) >= 0, sample
            assert all(1 <= i <= len(p["location"]) for i in sample["location_id"])
            for label in sample.get("label", []):
                unit = self.text(label.get("num_unit", [0])[0])
                assert (self.text(label["key"][0]) == "bytes" and unit == "bytes") or "str" in label, label
        return self

    def by_stack(self):
        """{(addresses, label): values}, by which Alloy compares two scrapes."""
        addresses = [m.get("address", [0])[0] for m in self.profile["location"]]
        result = {}
        for sample in self.profile["sample"]:
            label = tuple((self.text(label["key"][0]), label["num"][0] if "num" in label else self.text(label["str"][0]))
                          for label in sample.get("label", []))
            key = tuple(addresses[i - 1] for i in sample["location_id"]), label
            assert key not in result, "a stack comes twice"
            result[key] = sample["value"]
        return result

    def total(self, kind):
        which = [name for name, _ in TYPES].index(kind)
        return sum(sample["value"][which] for sample in self.profile.get("sample", []))


def check_growing(server):
    """Alloy takes the difference of successive scrapes of `allocs`: what was allocated never shrinks."""
    before = Scraped(server, "/debug/pprof/allocs").check("alloc_space")
    assert server.evaluate(LOAD) == 200
    after = Scraped(server, "/debug/pprof/allocs").check("alloc_space")
    now = after.by_stack()
    for key, values in before.by_stack().items():
        assert key in now and all(a <= b for a, b in zip(values[:2], now[key])), (values, now.get(key))
    assert after.total("alloc_space") > before.total("alloc_space")
    return before, after


def check_seconds(server):
    """The answer comes after the seconds that were asked for, and says how long they were."""
    whole = Scraped(server, "/debug/pprof/allocs")
    end = threading.Event()

    def work():
        while not end.is_set():
            assert server.evaluate(LOAD) == 200

    worker = threading.Thread(target=work)
    worker.start()
    delta = Scraped(server, "/debug/pprof/allocs?seconds=2")
    end.set()
    worker.join()
    assert 2 <= delta.seconds < 30, delta.seconds
    assert 2e9 <= delta.profile["duration_nanos"][0] < 20e9
    after = Scraped(server, "/debug/pprof/allocs")
    assert delta.total("alloc_space") <= after.total("alloc_space") - whole.total("alloc_space")
    assert delta.total("alloc_space") > 0
    return delta


def check_delta_heap(server):
    """What was allocated since the last request, and all that is live."""
    first = Scraped(server, "/debug/pprof/delta_heap").check("alloc_space")
    assert server.evaluate(LOAD) == 200
    second = Scraped(server, "/debug/pprof/delta_heap")
    whole = Scraped(server, "/debug/pprof/allocs")
    assert 0 < second.total("alloc_space") < whole.total("alloc_space")
    assert first.total("alloc_space") + second.total("alloc_space") <= whole.total("alloc_space")
    return second


def main():
    if not (SCHEMA / "profile.proto").exists():
        judging.skip("no profile.proto (Debian: golang-github-google-pprof-dev)")
    with LiveServer() as server:
        for n in range(20):
            assert server.evaluate(f"{n + 2}^5000") == 200
        before, after = check_growing(server)
        Scraped(server, "/debug/pprof/heap").check("inuse_space")
        delta = check_seconds(server)
        check_delta_heap(server)
        print(f"allocs: {len(after.profile['sample'])} stacks, {len(after.body)} bytes, grown by "
              f"{after.total('alloc_space') - before.total('alloc_space')}; in 2 s {delta.total('alloc_space')}")


if __name__ == "__main__":
    main()
