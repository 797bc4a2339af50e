# SPDX-License-Identifier: MIT
"""Chromium, headless, recorded with all its processes: the page is the same as without, with its sandbox and
without it, and the status, too. Its zygote looks at its own threads, namespaces and descriptors."""

import os
import pathlib
import pwd
import re
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
PAGE = "data:text/html,<p id=out></p><script>let a=[];for(let i=0;i<1e5;++i)a.push({i});out.textContent='sum '+a.reduce((s,o)=>s%2Bo.i,0)</script>"


@unittest.skipUnless(CHROMIUM, "Chromium is not installed")
class Browser(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-browser-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "traces").mkdir()

    def run_it(self, *options, before=(), prefix=()):
        profile = tempfile.mkdtemp(dir=self.folder)
        if prefix:
            for folder in (self.folder, self.folder / "traces", profile):
                os.chown(folder, pwd.getpwnam("nobody").pw_uid, -1)
        return subprocess.run(
            [*prefix, *before, CHROMIUM, "--headless", "--disable-gpu", f"--user-data-dir={profile}", *options,
             "--dump-dom", PAGE], text=True, capture_output=True, check=False, timeout=200, cwd=self.folder,
            env={**os.environ, "HOME": profile})

    def check_recorded(self, *options, prefix=()):
        plain = self.run_it(*options, prefix=prefix)
        if plain.returncode != 0 or "sum 4999950000" not in plain.stdout:
            self.skipTest(f"it does not run here: {plain.stderr[-200:]}")
        recorded = self.run_it(*options, prefix=prefix, before=(
            COMMAND, "record", "--children", "--rate", "1e-5", "--no-symbols", "-o",
            str(self.folder / "traces" / "t.ctf"), "--"))
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        self.assertEqual(recorded.stdout, plain.stdout)
        traces = list((self.folder / "traces").iterdir())
        # Its own allocator takes most of the memory: many of its processes take no sample.
        without = re.search(r"(\d+) other process(es)? took no sample", recorded.stderr)
        self.assertGreaterEqual(len(traces) + (int(without[1]) if without else 0), 5, recorded.stderr)
        self.assertFalse([t for t in traces if t.suffix != ".ctf"], recorded.stderr)
        self.assertIsNone(re.search("missing|cannot", "".join(
            line for line in recorded.stderr.splitlines() if line.startswith("memprof:"))), recorded.stderr)

    def test_without_its_sandbox(self):
        self.check_recorded("--no-sandbox")

    def test_with_its_sandbox(self):
        if os.geteuid() != 0:
            self.check_recorded()
            return
        user = pwd.getpwnam("nobody")
        prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        if subprocess.run([*prefix, COMMAND, "--version"], check=False, capture_output=True).returncode != 0:
            self.skipTest("another user may not run the command where it was built")
        self.check_recorded(prefix=prefix)


if __name__ == "__main__":
    unittest.main()
