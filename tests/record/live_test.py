# SPDX-License-Identifier: MIT
"""`memprof record --serve`: the trace of a program that runs, on a port, and after its end."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

from attaching import Program, Recorder
from compiled import compiled

COMMAND = os.environ["MEMPROF_COMMAND"]
PROGRAM = r"""
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>
std::vector<std::vector<char>*> kept;
__attribute__((noinline)) void keep_more() { kept.push_back(new std::vector<char>(20000)); }
int main() {
  for (int i = 0; i < 100; ++i) keep_more();
  std::getchar();  // until the test writes a line
  for (int i = 0; i < 100; ++i) keep_more();
  std::getchar();
}
"""


class Live(unittest.TestCase):
    def wait_for(self, url, wanted):
        """/api/trace once `wanted` holds of it, and how long that took."""
        begin = time.monotonic()
        while True:
            with urllib.request.urlopen(url + "api/trace", timeout=20) as answer:
                trace = json.load(answer)
            if wanted(trace):
                return trace, time.monotonic() - begin
            self.assertLess(time.monotonic() - begin, 30, trace)
            time.sleep(0.1)

    def test_a_running_program(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "a.cpp", pathlib.Path(folder) / "a"
            source.write_text(PROGRAM)
            subprocess.run([os.environ["CXX"], "-g", "-O1", "-o", program, source], check=True)
            trace_file = pathlib.Path(folder) / "a.ctf"
            recording = subprocess.Popen(
                [COMMAND, "record", "--serve", "--rate", "1e-2", "-o", trace_file, "--", program],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                url = re.search(r"http://127.0.0.1:\d+/", recording.stderr.readline())[0]
                first, _ = self.wait_for(url, lambda t: t["objects"] >= 100)
                self.assertTrue(first["growing"])
                with urllib.request.urlopen(url + "api/index", timeout=20) as answer:
                    self.assertIn(b'"keep_more', answer.read())  # symbols, while it runs
                recording.stdin.write("\n")
                recording.stdin.flush()
                second, took = self.wait_for(url, lambda t: t["objects"] >= first["objects"] + 100)
                print(f"what the program did was seen after {took:.1f} s")
                self.assertGreater(second["generation"], first["generation"])
                recording.stdin.close()
                last, _ = self.wait_for(url, lambda t: t["file"] == "a.ctf" and not t["growing"])
                self.assertGreaterEqual(last["objects"], second["objects"])
                self.assertTrue(trace_file.exists())
                self.assertIsNone(recording.poll())
            finally:
                recording.send_signal(signal.SIGINT)
                recording.stdin = None
                recording.communicate(timeout=30)
            self.assertEqual(recording.returncode, 0)

    def test_a_program_that_runs_already(self):
        """--pid: the first Ctrl-C ends the recording, and the trace stays on the port; the second ends that."""
        with tempfile.TemporaryDirectory() as folder:
            self.here = pathlib.Path(folder)
            p = Program(self, ATTACHED)
            recorder = Recorder(self, p.pid, "--serve")
            for _ in range(200):
                if recorder.heard("is recorded", 0.05):
                    break
                p.ask("warm 16")
            url = re.search(r"http://127.0.0.1:\d+/", recorder.said)[0]
            p.ask("many 1000")
            growing, _ = self.wait_for(url, lambda t: t["objects"] >= 1000)
            self.assertTrue(growing["growing"])
            recorder.process.send_signal(signal.SIGINT)
            last, _ = self.wait_for(url, lambda t: t["file"] == "a.ctf" and not t["growing"])
            self.assertGreaterEqual(last["objects"], growing["objects"])
            p.ask("warm 16")
            self.assertEqual(p.ask("state"), 100)  # the program is as before
            self.assertTrue(recorder.heard("stays up until Ctrl-C", 30), recorder.said)
            self.assertEqual(recorder.end(), 0, recorder.said)


def setUpModule():
    global ATTACHED
    ATTACHED = str(compiled((pathlib.Path(__file__).parent / "attached.cpp").read_text(), "-std=c++23"))


if __name__ == "__main__":
    unittest.main()
