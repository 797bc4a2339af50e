# SPDX-License-Identifier: MIT
"""`memprof serve`: hostile requests, how it starts and ends, files that grow."""

import concurrent.futures
import contextlib
import errno
import gzip
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import unittest

import serving
import traces


class Requests(unittest.TestCase):
    """Hostile ones, and how answers travel."""

    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server("viewer_test_repo.ctf", "--quiet")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def refused(self, path, status):
        got, headers, body = self.server.raw(path)
        self.assertEqual(got, status, (path, body))
        if status != 414:
            self.assertIn("error", json.loads(body))
        return headers

    def test_one_connection(self):
        # Without TCP_NODELAY three answers of five wait for a delayed acknowledgement, which takes
        # 40 ms. The median tells, where an answer takes 1 ms.
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
        taken = []
        try:
            connection.connect()
            one = connection.sock
            for _ in range(60):
                started = time.monotonic()
                connection.request("GET", "/api/trace")
                self.assertEqual(connection.getresponse().read()[:1], b"{")
                taken.append(time.monotonic() - started)
            self.assertIs(connection.sock, one)
        finally:
            connection.close()
        self.assertLess(statistics.median(taken), 0.03)

    @unittest.skipUnless(shutil.which("curl"), "needs curl")
    def test_one_connection_of_curl(self):
        urls = [f"http://{self.server.host}:{self.server.port}{path}" for path in ("/api/trace", "/api/index", "/")]
        command = ["curl", "--silent", "--show-error", "--write-out", "%{num_connects} %{http_code}\\n"]
        for url in urls * 3:
            command += ["--output", os.devnull, url]
        shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
        self.assertEqual(shown, ["1 200"] + ["0 200"] * 8)

    def test_silent_connections_make_room(self):
        silent = []
        try:
            started = time.monotonic()
            for _ in range(80):  # there are 64 places
                silent.append(http.client.HTTPConnection(self.server.host, self.server.port, timeout=60))
                silent[-1].request("GET", "/api/trace")
                answer = silent[-1].getresponse()
                answer.read()
                self.assertEqual(answer.headers["Connection"], "keep-alive")
            self.assertEqual(self.server.raw("/api/trace")[0], 200)
            self.assertLess(time.monotonic() - started, 4)  # they are dropped before their 5 s are over
            silent[-1].request("GET", "/api/trace")
            self.assertEqual(silent[-1].getresponse().status, 200)
        finally:
            for connection in silent:
                connection.close()

    def test_paths(self):
        for path in ("/etc/passwd", "/../../etc/passwd", "/assets/../../../etc/passwd",
                     "/%2e%2e/%2e%2e/etc/passwd", "/api/", "/api/nothing", "/api/graph", "/api/index/", "/api/other", "/api/%3Cscript%3E", "//", "/API/trace",
                     "/assets/%00", "/viewer_test_repo.ctf"):
            with self.subTest(path=path):
                self.refused(path, 404)

    def test_lengths(self):
        self.refused("/api/" + "a" * 2000, 404)
        self.refused("/api/trace?" + "a" * 20_000, 414)
        # The page's state is in its address, and nobody's business but the page's.
        self.server.get("/api/trace", [("function", "a" * 999)])

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
                     "localhost:80:80", "192.168.1.1", "0x7f000001", "[::1]evil", "[localhost]", "localhost.",
                     "user@localhost", "[::1%25lo]", "localhost:65536"):
            with self.subTest(host=host):
                status, _, _ = self.server.raw("/api/trace", host=host or " ")
                self.assertEqual(status, 403)
        for host in ("localhost", "LOCALHOST:1234", "127.0.0.1:80", "[::1]:80", "[::1]"):
            with self.subTest(host=host):
                self.assertEqual(self.server.raw("/api/trace", host=host)[0], 200)

    def test_one_host(self):
        for hosts, status in (("", 403), ("Host: localhost\r\nHost: localhost\r\n", 400)):
            with socket.create_connection((self.server.host, self.server.port), timeout=20) as s:
                s.sendall(f"GET /api/trace HTTP/1.1\r\n{hosts}\r\n".encode())
                self.assertTrue(s.recv(100).startswith(b"HTTP/1.1 %d " % status), hosts)

    def test_headers_and_compression(self):
        status, headers, plain = self.server.raw("/api/trace")
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("application/json"))
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        self.assertEqual(headers["Memprof-Generation"], "1")
        self.assertNotIn("Content-Encoding", headers)
        takes_gzip = {"Accept-Encoding": "br, gzip, deflate"}
        _, headers, _ = self.server.raw("/api/trace", headers=takes_gzip)
        if len(plain) >= 1024:
            self.assertEqual(headers["Content-Encoding"], "gzip")
        # Compressing an index takes longer than sending it.
        _, headers, index = self.server.raw("/api/index", headers=takes_gzip)
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertNotIn("Content-Encoding", headers)
        self.assertEqual(int(headers["Content-Length"]), len(index))
        self.assertEqual(index[:8], b"memprof1")
        part = "/assets/page.js" if self.server.raw("/assets/page.js")[0] == 200 else "/"
        _, headers, plain = self.server.raw(part)
        _, headers, packed = self.server.raw(part, headers=takes_gzip)
        if len(plain) >= 1024:
            self.assertEqual(headers["Content-Encoding"], "gzip")
            self.assertEqual(gzip.decompress(packed), plain)

    def test_garbage_does_no_harm(self):
        for data in (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /api/trace HTTP/1.1\r\n\r\n",
                     b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"POST /api/trace HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"):
            with socket.create_connection((self.server.host, self.server.port), timeout=20) as s:
                try:
                    s.sendall(data)
                    s.shutdown(socket.SHUT_WR)
                    answer = s.recv(100)
                except OSError as error:
                    # It has hung up already. No answer in time is a failure.
                    self.assertIn(error.errno, (errno.ENOTCONN, errno.ECONNRESET, errno.EPIPE))
                    continue
                self.assertNotIn(b" 200 ", answer)
        self.assertEqual(self.server.get("/api/trace")["api"], 2)

    def test_clients_that_say_nothing_do_not_keep_others_out(self):
        """More of them than there are threads: each is dropped after five seconds."""
        silent = [socket.create_connection((self.server.host, self.server.port)) for _ in range(40)]
        try:
            for s in silent[::2]:
                s.sendall(b"GET /api/trace HTT")
            started = time.monotonic()
            self.assertEqual(self.server.get("/api/trace")["api"], 2)
            self.assertLess(time.monotonic() - started, 30)
        finally:
            for s in silent:
                s.close()

    def test_slow_clients_do_not_keep_others_out(self):
        """Sixteen good requests beside 600 clients that say something now and then, all in time."""
        slow = [socket.create_connection((self.server.host, self.server.port)) for _ in range(600)]
        done = threading.Event()

        def dribble():
            while not done.wait(1):
                for s in slow:
                    with contextlib.suppress(OSError):  # it was dropped
                        s.send(b"x")

        try:
            for s in slow:
                with contextlib.suppress(OSError):
                    s.sendall(b"GET /")
            dribbling = threading.Thread(target=dribble)
            dribbling.start()
            started = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                for answer in pool.map(self.server.raw, ["/api/trace"] * 16):
                    self.assertEqual(answer[0], 200)
            kept = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
            kept.connect()
            one = kept.sock
            for _ in range(50):
                kept.request("GET", "/api/trace")
                self.assertEqual(kept.getresponse().read()[:1], b"{")
                self.assertIs(kept.sock, one)
            kept.close()
            self.assertLess(time.monotonic() - started, 5)
        finally:
            done.set()
            dribbling.join()
            for s in slow:
                s.close()

    def test_two_clients_at_once(self):
        wanted = {path: self.server.raw(path)[2] for path in ("/api/trace", "/api/index", "/")}
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            jobs = [(path, pool.submit(self.server.raw, path)) for path in list(wanted) * 50]
            for path, job in jobs:
                self.assertEqual(job.result()[2], wanted[path])


class Running(unittest.TestCase):
    def test_ends_on_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            server = serving.Server("tiny.ctf")
            server.get("/api/trace")
            self.assertEqual(server.stop(number)[0], 0)

    def test_a_browser_is_started(self):
        with tempfile.TemporaryDirectory() as folder:
            asked = pathlib.Path(folder) / "asked"
            browser = pathlib.Path(folder) / "xdg-open"
            browser.write_text(f'#!/bin/sh\necho "$@" > {asked}.new && mv {asked}.new {asked}\n', encoding="utf-8")
            browser.chmod(0o755)
            server = serving.Server("tiny.ctf", "--open",
                                    environment={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
            try:
                end = time.monotonic() + 20
                while not asked.exists():
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)
                self.assertEqual(asked.read_text(encoding="utf-8"), f"http://127.0.0.1:{server.port}/\n")
            finally:
                self.assertEqual(server.stop()[0], 0)

    def test_port_and_host(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        server = serving.Server("tiny.ctf", "--port", str(port))
        self.assertEqual(server.port, port)
        again = traces.run("serve", "tiny.ctf", "--port", str(port), timeout=20)
        self.assertEqual(again.returncode, 1)
        self.assertIn(str(port), again.stderr)
        self.assertEqual(server.stop()[2], "")
        server = serving.Server("tiny.ctf", "--host", "0.0.0.0")
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
        server = serving.Server("bad/flushes.location_inconsistent.ctf")
        try:
            trace = server.get("/api/trace")
            self.assertTrue(trace["damage"])
            self.assertGreater(trace["objects"], 0)
            self.assertEqual(server.raw("/api/index")[0], 200)
        finally:
            self.assertEqual(server.stop()[0], 0)

    def test_a_file_that_grows(self):
        whole = (traces.FOLDER / "flushes.ctf").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "growing.ctf"
            file.write_bytes(whole[:len(whole) // 2])
            server = serving.Server(str(file))
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
                top = traces.report("top", "flushes.ctf")
                self.assertEqual(after["objects"], top["all"]["allocated"]["sampled_blocks"])
                _, headers, index = server.raw("/api/index")
                self.assertEqual(headers["Memprof-Generation"], str(after["generation"]))
                self.assertIn(b'"generation":%d' % after["generation"], index)
                file.write_bytes(b"rubbish")  # what was read stays
                time.sleep(1.5)
                self.assertEqual(server.get("/api/trace")["events"], after["events"])
            finally:
                self.assertEqual(server.stop()[0], 0)


if __name__ == "__main__":
    unittest.main()
