# SPDX-License-Identifier: MIT
"""A PostgreSQL cluster recorded with all its processes: start, work, a backend that is killed, recovery and stop go
as without; each process that took samples has a trace; transactions a second stand beside those without.

MEMPROF_CLUSTER_SECONDS     of each measurement; default 2.
"""

import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["MEMPROF_COMMAND"]
SECONDS = os.environ.get("MEMPROF_CLUSTER_SECONDS", "2")
PROGRAMS = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def as_user():
    """What runs a command as somebody who is not root: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return [], os.geteuid()
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"], user.pw_uid
    raise unittest.SkipTest("there is no user but root")


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed")
class Cluster(unittest.TestCase):
    def setUp(self):
        self.prefix, uid = as_user()
        self.binaries = PROGRAMS[-1].parent
        if self.prefix and subprocess.run([*self.prefix, COMMAND, "--version"], check=False,
                                          capture_output=True).returncode != 0:
            self.skipTest("another user may not run the command where it was built")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="memprof-cluster-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "traces").mkdir()
        for folder in (self.folder, self.folder / "traces"):
            os.chown(folder, uid, -1)
        self.run_there("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "me", "--no-sync")

    def run_there(self, program, *arguments, check=True):
        return subprocess.run([*self.prefix, str(self.binaries / program), *map(str, arguments)], text=True,
                              capture_output=True, check=check, timeout=300, cwd=self.folder)

    def start(self, *before):
        cluster = subprocess.Popen(
            [*self.prefix, *before, str(self.binaries / "postgres"), "-D", str(self.folder / "data"), "-k",
             str(self.folder), "-c", "listen_addresses=", "-c", "fsync=off"], cwd=self.folder, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(cluster.kill)
        self.wait_until_ready()
        return cluster

    def wait_until_ready(self):
        begin = time.monotonic()
        while self.run_there("pg_isready", "-h", self.folder, check=False).returncode != 0:
            self.assertLess(time.monotonic() - begin, 60)
            time.sleep(0.05)

    def stop(self, cluster):
        self.run_there("pg_ctl", "stop", "-m", "fast", "-D", self.folder / "data")
        _, err = cluster.communicate(timeout=60)
        self.assertEqual(cluster.returncode, 0, err)
        return err

    def bench(self):
        """Transactions a second; none of them fails."""
        out = self.run_there("pgbench", "-h", self.folder, "-U", "me", "-c", "4", "-T", SECONDS, "postgres").stdout
        self.assertRegex(out, r"number of failed transactions: 0 ")
        return float(re.search(r"tps = ([\d.]+)", out)[1])

    def ask(self, question):
        return self.run_there("psql", "-h", self.folder, "-U", "me", "-At", "-c", question, "postgres").stdout.strip()

    def test_start_work_and_stop(self):
        plain = self.start()
        self.run_there("pgbench", "-h", self.folder, "-U", "me", "-i", "-q", "postgres")
        without = self.bench()
        self.stop(plain)
        recorded = self.start(COMMAND, "record", "--children", "--rate", "1e-4", "-o",
                              str(self.folder / "traces" / "t.ctf"), "--")
        with_record = self.bench()
        self.assertEqual(self.ask("select sum(abalance) = (select sum(bbalance) from pgbench_branches) "
                                  "from pgbench_accounts"), "t")
        # A backend that dies takes the others with it; the cluster recovers.
        sleeper = subprocess.Popen(
            [*self.prefix, str(self.binaries / "psql"), "-h", str(self.folder), "-U", "me", "-c",
             "select pg_sleep(100)", "postgres"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        begin = time.monotonic()
        while not (victim := self.ask("select pid from pg_stat_activity where query like 'select pg_sleep%'")):
            self.assertLess(time.monotonic() - begin, 60)
        os.kill(int(victim), signal.SIGKILL)
        sleeper.wait(60)
        time.sleep(0.2)
        self.wait_until_ready()
        self.assertEqual(self.ask("select count(*) from pgbench_accounts"), "100000")
        err = self.stop(recorded)
        print(f"transactions a second: {without:.0f} without, {with_record:.0f} recorded "
              f"({with_record / without:.2f})", flush=True)
        self.check_traces(err)

    def check_traces(self, err):
        traces = sorted((self.folder / "traces").iterdir())
        self.assertFalse([t for t in traces if t.suffix != ".ctf"], err)
        self.assertEqual(err.count("memprof: trace "), len(traces))
        # The postmaster, what it starts once, and a backend for each connection.
        without = re.search(r"(\d+) other process(es)? took no sample", err)
        self.assertGreater(len(traces) + (int(without[1]) if without else 0), 12, err)
        self.assertNotIn("missing", err)
        # Without debug information names are those of the dynamic symbols, which PostgreSQL exports.
        backends = 0
        for trace in traces:
            stacks = subprocess.run([COMMAND, "flamegraph", str(trace)], text=True, capture_output=True,
                                    check=True).stdout
            backends += ";PostgresMain;" in stacks
        self.assertGreaterEqual(backends, 4)
        first = next(t for t in traces if str(self.folder) in json.loads(subprocess.run(
            [COMMAND, "identify", "--json", str(t)], text=True, capture_output=True,
            check=True).stdout)["notes"].get("command", ""))
        self.assertIn("ended: exit 0", subprocess.run([COMMAND, "top", str(first)], text=True, capture_output=True,
                                                      check=True).stdout)


if __name__ == "__main__":
    unittest.main()
