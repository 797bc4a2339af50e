# SPDX-License-Identifier: MIT
"""Programs that make a pid namespace, as sandboxes do: nobody outside sees the ends of the processes in it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
PROGRAM = ["unshare", "-Urpf", "sh", "-c", "ls / > /dev/null; exit 5"]
# Well over the second that it waits for processes whose ends it does not see.
PATIENCE = 60


class PidNamespace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        if subprocess.run(PROGRAM, capture_output=True, check=False).returncode != 5:
            self.skipTest("no such namespaces here")

    def ends(self, *options):
        result = subprocess.run([COMMAND, *options, "--", *PROGRAM], cwd=self.here, text=True, capture_output=True,
                                timeout=PATIENCE, check=False)
        self.assertEqual((result.returncode, result.stdout), (5, ""), result.stderr)
        return result.stderr

    def test_a_recording_ends(self):
        said = self.ends("record", "--children", "--rate", "1", "-o", "%p.ctf")
        # unshare; its child, and the shell that this becomes, which nobody knows to be one process; and ls.
        traces = sorted(self.here.iterdir())
        self.assertEqual((len(traces), said.count("memprof: trace ")), (4, 4), said)
        for trace in traces:
            stats = subprocess.run([COMMAND, "stats", str(trace)], text=True, capture_output=True, check=False)
            self.assertEqual(stats.returncode, 0, stats.stderr)
            self.assertIn("allocated", stats.stdout)

    def test_a_limited_run_ends(self):
        self.assertNotIn("not known", self.ends("run", "--memory", "1GiB"))


if __name__ == "__main__":
    unittest.main()
