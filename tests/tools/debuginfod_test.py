# SPDX-License-Identifier: MIT
"""--debuginfod: debug information from a server on this machine (Debian's packages debuginfod and, with
debuginfod-find, the same), and from none unless it is asked for."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

COMMAND = os.environ["MEMPROF_COMMAND"]
PROGRAM = r"""
#include <cstdlib>
[[gnu::noinline]] void* make_block(int size) {
  return std::malloc(size);
}
int main() {
  for (int i = 0; i < 1000; ++i) make_block(1000);
}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@unittest.skipUnless(shutil.which("debuginfod") and shutil.which("debuginfod-find") and shutil.which("objcopy"),
                     "debuginfod, debuginfod-find or objcopy is not installed")
class Debuginfod(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        (self.here / "served").mkdir()
        source, program = self.here / "program.cpp", self.here / "program"
        source.write_text(PROGRAM, encoding="utf-8")
        debug = self.here / "served" / "program.debug"
        for command in ([os.environ.get("CXX", "c++"), "-g", "-O1", "-Wl,--build-id=sha1", source, "-o", program],
                        ["objcopy", "--only-keep-debug", program, debug], ["strip", program]):
            subprocess.run(command, check=True)
        self.trace = self.here / "a.ctf"
        self.environment = {**os.environ, "DEBUGINFOD_CACHE_PATH": str(self.here / "cache"), "DEBUGINFOD_TIMEOUT": "20"}
        self.environment.pop("DEBUGINFOD_URLS", None)
        self.memprof("record", "-q", "--no-symbols", "-o", self.trace, "--rate", "0.1", "--", program)

    def memprof(self, *arguments, status=0, **environment):
        run = subprocess.run([COMMAND, *map(str, arguments)], env={**self.environment, **environment}, text=True,
                             capture_output=True, timeout=120, check=False)
        self.assertEqual(run.returncode, status, run.stderr)
        return run.stdout if status == 0 else run.stderr

    def serve(self):
        port = free_port()
        log = open(self.here / "log", "wb")
        self.addCleanup(log.close)
        server = subprocess.Popen(["debuginfod", "-v", "-F", "-d", ":memory:", "-p", str(port), str(self.here / "served")],
                                  stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        url = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                with urllib.request.urlopen(url + "/metrics", timeout=5) as answer:
                    if re.search(rb"^thread_work_total\{role=\"traverse\"\} [1-9]", answer.read(), re.MULTILINE):
                        return url
            except OSError:
                pass
            time.sleep(0.1)
        self.fail((self.here / "log").read_text())

    def names(self, *options, **environment):
        report = json.loads(self.memprof("top", "--json", "--by", "site", *options, self.trace, **environment))
        return [row["name"] for row in report["rows"]]

    def test_asked_and_not_asked(self):
        url = self.serve()
        self.assertFalse(any("make_block" in n for n in self.names(DEBUGINFOD_URLS=url)))
        self.assertNotIn("/buildid/", (self.here / "log").read_text())
        self.assertFalse((self.here / "cache").exists())
        found = self.names("--debuginfod", DEBUGINFOD_URLS=url)
        self.assertTrue(any("make_block" in n and "program.cpp:4" in n for n in found), found)
        self.assertIn("/buildid/", (self.here / "log").read_text())
        named = self.here / "named.ctf"
        self.memprof("symbolize", "--debuginfod", self.trace, "-o", named, DEBUGINFOD_URLS=url)
        self.assertIn("make_block", self.memprof("top", named))

    def test_no_server(self):
        self.assertIn("DEBUGINFOD_URLS", self.memprof("top", "--debuginfod", self.trace, status=2))
        # One that does not answer: names as without.
        nowhere = f"http://127.0.0.1:{free_port()}"
        self.assertEqual(self.names("--debuginfod", DEBUGINFOD_URLS=nowhere), self.names())

    def test_without_debuginfod_find(self):
        run = subprocess.run([COMMAND, "top", "--debuginfod", str(self.trace)], text=True, capture_output=True, check=False,
                             env={**self.environment, "DEBUGINFOD_URLS": "http://127.0.0.1:9", "PATH": "/nonexistent"})
        self.assertEqual(run.returncode, 0)
        self.assertIn("debuginfod-find", run.stderr)
        self.assertEqual(run.stderr.count("debuginfod-find"), 1)


if __name__ == "__main__":
    unittest.main()
