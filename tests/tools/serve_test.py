# SPDX-License-Identifier: MIT
"""`memprof serve` on the golden traces: every route against the other commands for the same selection,
hostile requests, files that grow, and the packed index against the events of the trace."""

import base64
import concurrent.futures
import gzip
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

import reports_test
import traces

sys.setrecursionlimit(20_000)  # graphs are as deep as stacks
COMMAND = os.environ["MEMPROF_COMMAND"]
SELECTIONS = (
    [],
    ["--live-at-peak"],
    ["--live-at-end"],
    ["--allocated-after", "1ms", "--allocated-before", "3s"],
    ["--lifetime-min", "10us"],
    ["--heap", "major"],
    ["--not-heap", "minor", "--live-after", "1ms"],
    ["--function", "a", "--not-function", "/b[cd]/"],
    ["--size-min", "24B", "--size-max", "1MiB"],
    ["--hide", "List"],
)


class Server:
    """A running `memprof serve`; stop() ends it as a user does."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(
            [COMMAND, "serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=traces.FOLDER, env=environment)
        line = self.process.stdout.readline()
        match = re.match(r"Serving at http://([^/]*):(\d+)/", line)
        if not match:
            self.process.kill()
            raise RuntimeError(line + self.process.stderr.read())
        self.host, self.port = match[1].strip("[]"), int(match[2])

    def raw(self, path, method="GET", headers=None, host=None):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or f"{self.host}:{self.port}")
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def get(self, route, parameters=()):
        status, _, body = self.raw(route + "?" + urllib.parse.urlencode(list(parameters)))
        assert status == 200, (route, parameters, body)
        return json.loads(body)

    def text(self, route, parameters=()):
        status, _, body = self.raw(route + "?" + urllib.parse.urlencode(list(parameters)))
        assert status == 200, (route, parameters, body)
        return body.decode()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


def parameters_of(options):
    """Options of the command line as parameters of a request."""
    result, i = [], 0
    while i < len(options):
        name = options[i].removeprefix("--")
        if "=" in name:
            name, value = name.split("=", 1)
            result.append((name, value))
        elif name in ("live-at-peak", "live-at-end", "never-collected"):
            result.append((name, "1"))
        elif name.endswith("-between"):
            base = name.removesuffix("between")
            result += [(base + "after", options[i + 1]), (base + "before", options[i + 2])]
            i += 2
        else:
            result.append((name, options[i + 1]))
            i += 1
        i += 1
    return result


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300)


class Answers(unittest.TestCase):
    """What the server says is what the commands say."""

    def selections(self, name):
        chosen = [list(s) for s in SELECTIONS]
        facts = traces.facts(name)
        for description in (facts or {}).get("viewer_filters", {}):
            chosen.append(reports_test.options_of(description))
        return chosen

    def same_amount(self, listed, reported):
        samples, blocks, value, lower, upper, *objects = listed
        self.assertEqual((samples, blocks), (reported["samples"], reported.get("sampled_blocks", blocks)))
        for a, b in zip((value, lower, upper), (reported["bytes"], reported["lower"], reported["upper"])):
            self.assertTrue(close(a, b), (listed, reported))
        if "objects" in reported:  # sums of the same terms in another order
            for a, b in zip(objects, (reported[k] for k in ("objects", "objects_lower", "objects_upper"))):
                self.assertAlmostEqual(a, b, delta=1e-6 * max(1, a))
        self.assertLessEqual(objects[1], objects[0])
        self.assertLessEqual(objects[0], objects[2])

    def same_sum(self, listed, reported):
        for amount, name in zip(listed, ("allocated", "in_use_at_end", "at_peak")):
            self.same_amount(amount, reported[name])

    def check_table(self, server, file, options):
        top = traces.report("top", file, "-n", "0", "--by", "function", "--sort", "total", *options)
        table = server.get("/api/table", [("by", "function"), ("sort", "total"), ("limit", "100000"),
                                          *parameters_of(options)])
        self.assertEqual(table["more"], 0)
        rows = {row["name"]: row for row in top["rows"]}
        self.assertEqual({row[0] for row in table["rows"]}, set(rows))
        for name, own, total in table["rows"]:
            self.same_sum(own, rows[name]["self"])
            self.same_sum(total, rows[name]["total"])
        samples = [row[2][0][0] for row in table["rows"]]
        self.assertEqual(samples, sorted(samples, reverse=True))
        return top

    def check_graph(self, server, file, options, value, direction):
        arguments = ["--weight", value.replace("_", "-"), "--threshold", "0", *options]
        if direction == "sites":
            arguments.append("--bottom-up")
        tree = traces.report("tree", file, *arguments)
        graph = server.get("/api/graph", [("value", value), ("from", direction), ("least", "0"),
                                          *parameters_of(options)])
        self.assertEqual(graph["total"][0], tree["total"]["samples"])
        paths, path = {}, []
        for node in tree["nodes"]:
            path[node["depth"] - 1:] = [node["function"]]
            paths[tuple(path)] = node
        seen, shown = {}, 0
        stack = [(graph["root"], ())]
        while stack:
            (name, flags, own, total, children, hidden), path = stack.pop()
            here = path + (name,)
            if path or name != "(all)":
                seen[here[1:]] = (own, total)
            below = own[0] + sum(child[3][0] for child in children) + (hidden[1][0] if hidden else 0)
            self.assertEqual(below, total[0])
            self.assertEqual([c[3][0] for c in children], sorted((c[3][0] for c in children), reverse=True))
            shown += 1
            stack += [(child, here) for child in children]
        self.assertLessEqual(shown, 4000)
        if graph["least"] == 0:
            self.assertEqual(set(seen), set(paths))
        for path, (own, total) in seen.items():
            self.same_amount(own, paths[path]["self"])
            self.same_amount(total, paths[path]["total"])

    def check_folded(self, server, file, options):
        for value in ("allocated", "in_use", "peak"):
            for unit in ("samples", "bytes"):
                flat = traces.run("flamegraph", "--weight", value.replace("_", "-"), "--unit", unit,
                                  *options, file)
                self.assertEqual(flat.returncode, 0, flat.stderr)
                self.assertEqual(server.text("/api/folded", [("value", value), ("unit", unit),
                                                             *parameters_of(options)]), flat.stdout)

    def check_others(self, server, options, top):
        """Routes that no command has: by what must add up."""
        chosen = parameters_of(options)
        allocated = top["all"]["allocated"]["samples"]
        series = server.get("/api/series", chosen)
        live = series["total"] if series["filtered"] is None else series["filtered"]
        self.assertLessEqual(len(live), 450)
        self.assertEqual(sum(series["allocated"]), allocated)
        self.assertEqual(sum(series["allocated"]) - sum(series["freed"]), live[-1] if live else 0)
        self.assertEqual(live[-1] if live else 0, top["all"]["in_use_at_end"]["samples"])
        peak = series["peak"] if series["filtered"] is None else series["filtered_peak"]
        self.assertEqual(peak["amount"]["samples"], top["all"]["at_peak"]["samples"])
        points = [("points", "100")]
        few = server.get("/api/series", [*chosen, *points])
        wanted = few["total"] if few["filtered"] is None else few["filtered"]
        for route, rows in (("/api/stacked", "rows"), ("/api/ages", "bands")):
            stacked = server.get(route, [*chosen, *points])
            self.assertEqual(stacked["step_us"], few["step_us"])
            self.assertEqual([sum(x) for x in zip(*(r["samples"] for r in stacked[rows]))], wanted, route)
        histograms = server.get("/api/histograms", chosen)
        for bins in histograms.values():
            self.assertEqual(sum(b["samples"] for b in bins), allocated)
            self.assertEqual(sum(b["amount"]["blocks"] for b in bins),
                             top["all"]["allocated"]["sampled_blocks"])
        survived = sum(b["survived"] for b in histograms["lifetimes"])
        self.assertEqual(survived, top["all"]["in_use_at_end"]["samples"])
        scatter = server.get("/api/scatter", chosen)
        self.assertEqual(scatter["objects"], top["all"]["allocated"]["sampled_blocks"])
        self.assertEqual(len(scatter["points"]), min(4000, scatter["objects"]))
        survival = server.get("/api/survival", [*chosen, ("functions", "main")])["curves"]
        self.assertEqual([c["name"] for c in survival], [None, "main"])
        for curve in survival:
            shares = [p[1] for p in curve["points"]]
            self.assertEqual(shares, sorted(shares, reverse=True))
        for name, minor, promoted, share, lower, upper in server.get("/api/promotion", chosen)["rows"]:
            self.assertLessEqual(promoted[0], minor[0], name)
            self.assertTrue(close(share, promoted[0] / minor[0]))
            self.assertLessEqual(lower, share)
            self.assertGreaterEqual(upper, share)
        suspects = server.get("/api/suspects", chosen)
        self.assertEqual(set(suspects), {"leaks", "queues", "caches"})

    def check_around(self, server, options, top):
        chosen = parameters_of(options)
        for row in top["rows"][:5]:
            around = server.get("/api/around", [*chosen, ("function", row["name"]), ("least", "0")])
            for query in ([("zoom", row["name"])], [("recursion", "keep"), ("inlined", "0")]):
                server.get("/api/graph", [*chosen, *query])
            for side in ("callers", "callees"):
                self.assertEqual(around[side][0], row["name"])
                if "--hide" not in options:
                    self.same_amount(around[side][3], row["total"]["allocated"])

    def test_all_routes(self):
        compared = 0
        for name in traces.traces():
            server = Server(name + ".ctf", "--quiet")
            try:
                for options in self.selections(name):
                    with self.subTest(trace=name, options=options):
                        top = self.check_table(server, name + ".ctf", options)
                        self.check_folded(server, name + ".ctf", options)
                        for value, direction in (("allocated", "main"), ("in_use", "sites"),
                                                 ("peak", "main")):
                            self.check_graph(server, name + ".ctf", options, value, direction)
                        self.check_others(server, options, top)
                        self.check_around(server, options, top)
                        compared += 1
                self.check_trace(server, name)
            finally:
                self.assertEqual(server.stop()[0], 0)
        self.assertGreaterEqual(compared, 100)

    def check_trace(self, server, name):
        facts = traces.facts(name)
        trace = server.get("/api/trace")
        stats = traces.report("stats", name + ".ctf")
        self.assertEqual(trace["sample_rate"], stats["sample_rate"])
        self.assertEqual(trace["api"], 1)
        self.assertIsNone(trace["other"])
        if facts is None:
            return
        self.assertEqual(trace["duration_us"], facts["last_event_us"] or 0)
        self.assertEqual(trace["total"]["allocated"]["samples"], facts["samples"]["total"])
        self.assertEqual(trace["total"]["peak"]["samples"], facts["peak_live_in_file_order"]["samples"])
        self.assertEqual(trace["pid"], facts["info"]["pid"])
        self.assertEqual(trace["version"], facts["version"])

    def test_zoom_shows_what_was_hidden(self):
        server = Server("viewer_test_repo.ctf", "--quiet")
        try:
            node = server.get("/api/graph", [("least", "0")])["root"]
            path = []
            while node[4]:
                node = node[4][0]
                path.append(("zoom", node[0]))
            zoomed = server.get("/api/graph", [("least", "1"), *path])["root"]
            self.assertEqual(zoomed[0], path[-1][1])
            self.assertEqual(zoomed[3], node[3])
            whole = node = server.get("/api/graph", [("least", "1")])["root"]
            while node[4]:  # what is below all of it
                self.assertEqual([child[3][0] for child in node[4]], [whole[3][0]])
                node = node[4][0]
            self.assertGreater(node[5][0], 0)
            self.assertEqual(node[5][1][0] + node[2][0], whole[3][0])
            nowhere = server.get("/api/graph", [("zoom", "no such function")])["root"]
            self.assertEqual(nowhere[3][0], 0)
        finally:
            server.stop()

    def test_diff(self):
        before, after = "lists_and_sets_repo_v1.ctf", "viewer_test_repo.ctf"
        server = Server(after, "--against", before, "--quiet")
        try:
            for how in ([], ["--total"], ["--by", "path"], ["--by", "module", "--normalize", "total"],
                        ["--weight", "in-use", "--normalize", "duration"]):
                expected = traces.report("diff", before, after, "-n", "0", *how)
                parameters = [("base.other", "1"), ("limit", "100000")]
                if "--total" in how:
                    parameters.append(("compare", "total"))
                for option, value in zip(how[::2], how[1::2]):
                    if value == "path":
                        parameters.append(("compare", "paths"))
                    elif option != "--total":
                        parameters.append((option[2:].replace("weight", "value"), value.replace("-", "_")))
                diff = server.get("/api/diff", parameters)
                self.assertEqual([row[0] for row in diff["rows"]], [r["name"] for r in expected["rows"]])
                for row, wanted in zip(diff["rows"], expected["rows"]):
                    for a, b in zip(row[1:5], (wanted["before"], wanted["after"],
                                               wanted["standard_error"], wanted["chance"])):
                        self.assertTrue(close(a, b), (row, wanted))
                    self.assertEqual(bool(row[5]), wanted["significant"])
                if ("compare", "paths") in parameters:
                    self.assertTrue(close(diff["graph"][3] - diff["graph"][2],
                                          diff["total"][2] - diff["total"][1]))
                else:
                    self.assertIsNone(diff["graph"])
            same = server.get("/api/diff", [("base.allocated-before", "0us"), ("compare", "paths")])
            self.assertGreater(same["total"][2], same["total"][1])
            self.assertEqual(server.get("/api/trace")["other"]["file"], before)
        finally:
            server.stop()


class Requests(unittest.TestCase):
    """Hostile ones, and how answers travel."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("viewer_test_repo.ctf", "--quiet")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def refused(self, path, status, parameter=None, **how):
        got, headers, body = self.server.raw(path, **how)
        self.assertEqual(got, status, (path, body))
        if how.get("method") != "HEAD" and status != 414:
            answer = json.loads(body)
            self.assertIn("error", answer)
            if parameter is not None:
                self.assertEqual(answer["parameter"], parameter)
        return headers

    def test_parameters(self):
        quote = urllib.parse.quote
        for query, parameter in (
                ("graph?size-min=12x", "size-min"), ("graph?allocated-after=-1s", "allocated-after"),
                ("graph?allocated-after=2s&allocated-before=1s", "allocated-after"),
                ("graph?function=/(/", "function"), ("graph?heap=young", "heap"),
                ("graph?domain=70000", "domain"), ("graph?live-at-end=yes", "live-at-end"),
                ("graph?least=2", "least"), ("graph?least=nan", "least"), ("graph?value=all", "value"),
                ("graph?nonsense=1", "nonsense"), ("graph?inlined=2", "inlined"),
                ("table?limit=0", "limit"), ("table?limit=-1", "limit"), ("table?limit=99999999999999999999",
                                                                          "limit"),
                ("series?points=1e9", "points"), ("stacked?n=1000000", "n"), ("around", "function"),
                ("around?function=/(/&function=f", "function"),
                ("trace?x=1", "x"), ("graph?other=1", "other"), ("diff?base.other=1", "other"),
                ("diff?base.size-min=x", "size-min"), ("diff?base.rubbish=1", "base.rubbish"),
                ("survival?" + "&".join(["functions=f"] * 20), "functions"),
                ("graph?" + "&".join(["function=f"] * 65), "function"),
                ("graph?" + quote("<script>") + "=1", "<script>")):
            with self.subTest(query=query):
                headers = self.refused("/api/" + query, 400, parameter)
                self.assertTrue(headers["Content-Type"].startswith("application/json"))

    def test_paths(self):
        for path in ("/etc/passwd", "/../../etc/passwd", "/assets/../../../etc/passwd",
                     "/%2e%2e/%2e%2e/etc/passwd", "/api/", "/api/nothing", "/api/graph/", "//", "/API/trace",
                     "/assets/%00", "/viewer_test_repo.ctf"):
            with self.subTest(path=path):
                self.refused(path, 404)

    def test_lengths(self):
        self.refused("/api/graph?function=" + "a" * 2000, 400, "function")
        self.refused("/api/graph?function=" + "a" * 20_000, 414)
        self.server.get("/api/graph", [("function", "a" * 999)])

    def test_methods(self):
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
            with self.subTest(method=method):
                status, _, _ = self.server.raw("/api/trace", method=method)
                self.assertIn(status, (400, 405))
        status, headers, body = self.server.raw("/api/trace", method="HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertGreater(int(headers["Content-Length"]), 100)

    def test_hosts(self):
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "", "[::1",
                     "localhost:80:80", "192.168.1.1", "0x7f000001"):
            with self.subTest(host=host):
                status, _, _ = self.server.raw("/api/trace", host=host or " ")
                self.assertEqual(status, 403)
        for host in ("localhost", "LOCALHOST:1234", "127.0.0.1:80", "[::1]:80", "[::1]"):
            with self.subTest(host=host):
                self.assertEqual(self.server.raw("/api/trace", host=host)[0], 200)

    def test_headers_and_compression(self):
        status, headers, plain = self.server.raw("/api/graph?least=0")
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        self.assertEqual(headers["Memprof-Generation"], "1")
        self.assertNotIn("Content-Encoding", headers)
        _, headers, packed = self.server.raw("/api/graph?least=0",
                                             headers={"Accept-Encoding": "br, gzip, deflate"})
        self.assertEqual(headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed), plain)
        self.assertLess(len(packed), len(plain))

    def test_garbage_does_no_harm(self):
        for data in (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /api/trace HTTP/1.1\r\n\r\n",
                     b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"POST /api/trace HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"):
            with socket.create_connection((self.server.host, self.server.port), timeout=20) as s:
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
                answer = s.recv(100)
                self.assertNotIn(b" 200 ", answer)
        self.assertEqual(self.server.get("/api/trace")["api"], 1)

    def test_two_clients_at_once(self):
        wanted = {}
        queries = [("/api/graph", (("live-at-end", "1"),)), ("/api/table", (("heap", "major"),)),
                   ("/api/series", ()), ("/api/suspects", ()), ("/api/graph", (("size-min", "40B"),))]
        for route, parameters in queries:
            wanted[route, parameters] = self.server.get(route, parameters)
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            jobs = [(q, pool.submit(self.server.get, *q)) for q in queries * 30]
            for query, job in jobs:
                self.assertEqual(job.result(), wanted[query])


class Running(unittest.TestCase):
    def test_ends_on_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            server = Server("tiny.ctf")
            server.get("/api/trace")
            self.assertEqual(server.stop(number)[0], 0)

    def test_port_and_host(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        server = Server("tiny.ctf", "--port", str(port))
        self.assertEqual(server.port, port)
        again = traces.run("serve", "tiny.ctf", "--port", str(port), timeout=20)
        self.assertEqual(again.returncode, 1)
        self.assertIn(str(port), again.stderr)
        self.assertEqual(server.stop()[2], "")
        server = Server("tiny.ctf", "--host", "0.0.0.0")
        server.host = "127.0.0.1"
        self.assertEqual(server.raw("/api/trace", host="192.168.1.1")[0], 200)
        self.assertEqual(server.raw("/api/trace", host="evil.example")[0], 403)
        self.assertIn("password", server.stop()[2])

    def test_what_cannot_be_served(self):
        for arguments, status, text in ((["nothing.ctf"], 1, "nothing.ctf"), (["-"], 2, "standard input"),
                                        ([traces.FOLDER / "bad" / "flushes.text_file.ctf"], 1, "text_file"),
                                        (["tiny.ctf", "--port", "99999"], 2, "--port"),
                                        (["tiny.ctf", "--against", "no.ctf"], 1, "no.ctf")):
            result = traces.run("serve", *arguments, timeout=20)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(text, result.stderr)

    def test_damage_is_told(self):
        server = Server("bad/flushes.location_inconsistent.ctf")
        try:
            trace = server.get("/api/trace")
            self.assertTrue(trace["damage"])
            self.assertGreater(trace["objects"], 0)
            self.assertEqual(server.get("/api/graph")["total"][0], trace["total"]["allocated"]["samples"])
        finally:
            self.assertEqual(server.stop()[0], 0)

    def test_a_file_that_grows(self):
        whole = (traces.FOLDER / "flushes.ctf").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "growing.ctf"
            file.write_bytes(whole[:len(whole) // 2])
            server = Server(str(file))
            try:
                before = server.get("/api/trace")
                self.assertTrue(before["growing"])
                with file.open("ab") as f:
                    f.write(whole[len(whole) // 2:])
                end = time.monotonic() + 20
                while server.get("/api/trace")["generation"] == before["generation"]:
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.1)
                after = server.get("/api/trace")
                self.assertGreater(after["events"], before["events"])
                self.assertIsNone(after["damage"])
                facts = traces.facts("flushes")
                self.assertEqual(after["total"]["allocated"]["samples"], facts["samples"]["total"])
                _, headers, _ = server.raw("/api/graph")
                self.assertEqual(headers["Memprof-Generation"], str(after["generation"]))
                file.write_bytes(b"rubbish")  # what was read stays
                time.sleep(1.5)
                self.assertEqual(server.get("/api/trace")["events"], after["events"])
            finally:
                self.assertEqual(server.stop()[0], 0)


class OneFile(unittest.TestCase):
    """--html: needs a command with the page in it."""

    def data_of(self, page):
        text = re.search(r'<script id="memprof-data" type="application/json">(.*?)</script>', page, re.DOTALL)[1]
        self.assertNotIn("<", text)
        return json.loads(text)

    def columns_of(self, data):
        n, m = data["tables"]["nodes"], data["tables"]["objects"]
        rest = gzip.decompress(base64.b64decode(data["index"], validate=True))
        columns = {}
        for name, kind, count in (("parent", "I", n), ("frame", "I", n), ("born", "d", m), ("gone", "d", m),
                                  ("promoted", "d", m), ("born_event", "I", m), ("gone_event", "I", m),
                                  ("promoted_event", "I", m), ("length", "d", m), ("samples", "I", m),
                                  ("stack", "I", m), ("where", "I", m)):
            size = struct.calcsize("<" + kind) * count
            columns[name] = struct.unpack(f"<{count}{kind}", rest[:size])
            rest = rest[size:]
        self.assertEqual(rest, b"")
        return columns

    def stack_of(self, data, columns, node):
        names = []
        while node != 0:
            self.assertLess(columns["parent"][node], node)
            frame = data["tables"]["frames"][columns["frame"][node]]
            names.append((data["tables"]["functions"][frame[0]], data["tables"]["files"][frame[1]], *frame[2:5]))
            node = columns["parent"][node]
        return names[::-1]

    def page_of(self, name, *options):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "a.html"
            result = traces.run("serve", name, "--html", str(out), "--quiet", *options)
            if result.returncode != 0 and "without the page" in result.stderr:
                self.assertFalse(out.exists())
                self.skipTest("this memprof was built without the page")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(os.listdir(folder), ["a.html"])
            return out.read_text(encoding="utf-8")

    def check_events(self, name):
        """The packed index against the events that `convert` writes."""
        data = self.data_of(self.page_of(name + ".ctf"))
        columns = self.columns_of(data)
        converted = traces.run("convert", "--to", "json", name + ".ctf")
        self.assertEqual(converted.returncode, 0, converted.stderr)
        table = json.loads(converted.stdout)
        events = table["events"]
        self.assertEqual(data["trace"]["events"], len(events))
        allocations = [i for i, e in enumerate(events) if e["event"] == "allocation"]
        self.assertEqual(list(columns["born_event"]), allocations)
        changes = 0
        for i, number in enumerate(allocations):
            e = events[number]
            self.assertEqual(columns["born"][i], e["time_us"])
            self.assertEqual(columns["length"][i], float(e["length_words"]))
            self.assertEqual(columns["samples"][i], min(e["samples"], 0xffffffff))
            where = ("minor", "major", "external").index(e["heap"]) + 4 * e["domain"]
            self.assertEqual(columns["where"][i], where)
            for time, event, kind in (("gone", "gone_event", "collection"),
                                      ("promoted", "promoted_event", "promotion")):
                if columns[event][i] == 0xffffffff:
                    self.assertEqual(columns[time][i], -1)
                    continue
                change = events[columns[event][i]]
                self.assertEqual((change["event"], change["object"]), (kind, e["object"]))
                self.assertEqual(change["time_us"], columns[time][i])
                changes += 1
            expected = []
            for code in e["backtrace"]:
                places = table["codes"].get(code, [])
                expected += [(p["function"], p["file"], p["line"], p["start_char"], p["end_char"])
                             for p in places] or [(hex(int(code)), "", 0, 0, 0)]
            self.assertEqual(self.stack_of(data, columns, columns["stack"][i]), expected)
        self.assertEqual(changes, len(events) - len(allocations))

    def test_the_index_holds_every_event(self):
        for name in traces.traces():
            if (traces.FOLDER / (name + ".ctf")).stat().st_size < 1 << 20:
                with self.subTest(trace=name):
                    self.check_events(name)

    def test_hostile_names_are_text(self):
        page = self.page_of("edge.ctf" if (traces.FOLDER / "edge.ctf").exists() else "tiny.ctf")
        self.data_of(page)  # has no "<"

    def test_an_output_is_not_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "a.html"
            out.write_text("mine")
            result = traces.run("serve", "tiny.ctf", "--html", str(out))
            self.assertEqual(result.returncode, 1)
            self.assertEqual(out.read_text(), "mine")
            result = traces.run("serve", "tiny.ctf", "--html", str(out), "--against", "tiny.ctf")
            self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
