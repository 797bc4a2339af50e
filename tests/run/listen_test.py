# SPDX-License-Identifier: MIT
"""`memprof run --listen`: profiles and metrics of a program that knows nothing of it, and what bad addresses get."""

import gzip
import http.client
import re
import signal
import socket
import subprocess
import unittest
import urllib.error
import urllib.request

from limited import COMMAND, Limited, compile_leak


def setUpModule():
    global leak
    leak = compile_leak()


class Listening(Limited):
    def started(self, *arguments, program):
        run = subprocess.Popen([COMMAND, "run", "--memory", "1GiB", "--rate", "1e-2", *arguments, "--", *map(str, program)],
                               cwd=self.here, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        line = run.stderr.readline()
        self.assertRegex(line, r"^memprof: listening on ")
        return run, line.split()[-1]

    def get(self, url, **headers):
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return answer.read()

    def test_profiles_and_metrics(self):
        run, url = self.started("--listen", "127.0.0.1:0", program=[leak, 8, 1, "wait"])
        self.assertEqual(run.stdout.readline(), "done\n")
        for name in ("heap", "allocs", "delta_heap", "heap?seconds=1"):
            raw = gzip.decompress(self.get(url + "/debug/pprof/" + name))
            for word in (b"inuse_space", b"alloc_space") + ((b"grow", b"leak.c") if "seconds" not in name else ()):
                self.assertIn(word, raw, name)
        self.assert_report(self.get(url + "/debug/pprof/heap?debug=1").decode(), "grow", "asked for over HTTP$")
        self.assertEqual(self.get(url + "/debug/pprof/cmdline").decode().split("\0")[1:], ["8", "1", "wait"])
        page = self.get(url + "/metrics", Accept="application/openmetrics-text; version=1.0.0").decode()
        self.assertTrue(page.endswith("# EOF\n"), page)

        def value(name):
            return float(re.search(rf"^{re.escape(name)} (\S+)$", page, re.M)[1])

        # 8 MiB in blocks of 1016 bytes, 800 samples: 10 % is nearly three standard deviations, 25 % are seven.
        self.assertTrue(6 << 20 < value("memprof_inuse_bytes") < 10 << 20, page)
        self.assertLessEqual(value('memprof_inuse_bytes_bound{side="lower",confidence="0.95"}'), value("memprof_inuse_bytes"))
        self.assertGreaterEqual(value("memprof_allocated_bytes_total"), 6 << 20)
        self.assertEqual(value('memprof_run_limit_bytes{level="hard"}'), 1 << 30)
        self.assertEqual(value("memprof_run_processes"), 1)
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(timeout=30), 128 + 15)

    def test_a_unix_socket_and_who_waits_at_the_end(self):
        run, where = self.started("--listen", f"unix:{self.here}/socket", program=[leak, 2, 1, "wait"])
        self.assertEqual(where, f"unix:{self.here}/socket")
        run.stdout.readline()
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(30)
            s.connect(f"{self.here}/socket")
            s.sendall(b"GET /debug/pprof/heap?seconds=100 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.get_when_waiting(run, s)
        self.assertFalse((self.here / "socket").exists())

    def get_when_waiting(self, run, s):
        try:  # it is being answered, or is still to come
            s.settimeout(1)
            s.recv(1)
            self.fail("answered at once")
        except TimeoutError:
            pass
        s.settimeout(30)
        run.terminate()
        self.assertIn(b" 503 ", s.recv(4096))
        self.assertEqual(run.wait(timeout=30), 128 + 15)

    def test_a_token(self):
        (self.here / "token").write_text("secret\n", encoding="utf-8")
        run, url = self.started("--listen", "0.0.0.0:0", "--token-file", "token", program=[leak, 2, 1, "wait"])
        run.stdout.readline()
        url = url.replace("0.0.0.0", "127.0.0.1")
        with self.assertRaises(urllib.error.HTTPError) as error:
            self.get(url + "/metrics")
        self.assertEqual(error.exception.code, 401)
        error.exception.close()
        self.assertIn(b"memprof_inuse_bytes", self.get(url + "/metrics", Authorization="Bearer secret"))

    def test_hostile_requests(self):
        run, url = self.started("--listen", "127.0.0.1:0", program=[leak, 2, 1, "wait"])
        run.stdout.readline()
        host = url.removeprefix("http://")
        for target, headers, status in (("/" + "x" * 10000, {}, 414), ("/metrics", {"Host": "evil.example"}, 403),
                                        ("/metrics", {f"x-{i}": "y" for i in range(10000)}, 431),
                                        ("/debug/pprof/heap?seconds=0", {}, 400), ("/debug/pprof/symbol?0x1", {}, 404),
                                        ("/none", {}, 404)):
            connection = http.client.HTTPConnection(host, timeout=30)
            connection.request("GET", target, headers=headers)
            self.assertEqual(connection.getresponse().status, status)
            connection.close()
        self.assertIn(b"memprof_inuse_bytes", self.get(url + "/metrics"))
        self.assertIsNone(run.poll())

    def test_addresses_that_are_refused(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            busy = f"127.0.0.1:{taken.getsockname()[1]}"
            (self.here / "there").touch()
            for status, sentence, address in ((1, f"--listen: {busy} is in use already", busy),
                                              (1, "there exists already", "unix:there"),
                                              (2, "needs a token", "0.0.0.0:0"), (2, "is none of", "nowhere")):
                result = self.run_limited("--memory", "1GiB", "--listen", address, program=["touch", "ran"])
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(sentence, result.stderr)
        self.assertFalse((self.here / "ran").exists())


if __name__ == "__main__":
    unittest.main()
