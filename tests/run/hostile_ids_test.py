# SPDX-License-Identifier: MIT
"""A program that writes ids of others into the memory that it shares with `memprof run`, and then exceeds its limit:
only its own processes get signals. All of it in a pid namespace, since kill(-1) would end everything here."""

import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

from limited import COMMAND, Limited

# Claims the ids argv[1...], has an orphan in a session of its own and a child that claims to be another, and grows.
HOSTILE = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
enum { page = 4096, channel_bytes = 2 * page + 64 * 65536, channels = 128 };
struct channel { volatile uint32_t state; volatile int32_t process; volatile uint32_t visible; };
static char* area;
static struct channel* channel(int i) { return (struct channel*)(area + page + (size_t)i * channel_bytes); }
static void say(char const* name) {
  printf("%s %d\n", name, getpid());
  fflush(stdout);
}
int main(int argc, char** argv) {
  int recorder, descriptor;
  if (sscanf(getenv("MEMPROF_RECORDER"), "%d:%d", &recorder, &descriptor) != 2) return 3;
  area = mmap(NULL, page + (size_t)channels * channel_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (area == MAP_FAILED) return 4;
  for (int i = 1; i < argc; ++i) {
    struct channel* c = channel(channels - i);
    c->process = strcmp(argv[i], "recorder") == 0 ? recorder : atoi(argv[i]);
    c->visible = 1;
    __atomic_store_n(&c->state, 2, __ATOMIC_RELEASE);
  }
  if (fork() == 0) {
    if (fork() != 0) _exit(0);
    setsid();
    while (getppid() == 0) usleep(1000);
    say("orphan");
    for (;;) pause();
  }
  if (fork() == 0) {
    for (int i = 0; i < channels; ++i) {
      if (channel(i)->process == getpid()) channel(i)->process = atoi(argv[1]);
    }
    signal(SIGTERM, SIG_IGN);
    say("liar");
    for (;;) pause();
  }
  usleep(300000);
  for (int i = 0; i < 48 << 10; ++i) memset(malloc(1000), 'x', 1000);
  for (;;) pause();
}
"""
NAMESPACE = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--pid", "--fork",
             "--mount-proc"]


def state_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def victim(**settings):
    return subprocess.Popen(["sleep", "1000"], **settings)


def inside(program, *options):
    """Process 1 of the namespace: prints what became of everybody."""
    victims = {"mine": victim(), "session": victim(start_new_session=True)}
    if pathlib.Path("/proc/self/uid_map").read_text(encoding="utf-8").split()[2] != "1":
        victims["other user"] = victim(user=65534)
    ids = ["-1", "0", "1", "recorder", "PARENT", *(str(v.pid) for v in victims.values())]
    # The shell is the recorder's parent, and stays it.
    script = f"{COMMAND} run {' '.join(options)} -- {program} {' '.join(ids)}; echo status $?".replace("PARENT", "$$")
    with open("output", "w+", encoding="utf-8") as out:  # no pipe: those that are left would keep it open
        status = subprocess.run(["sh", "-c", script], stdout=out, stderr=out, timeout=60).returncode
        out.seek(0)
        said = out.read()
    print(said, f"shell {status}", sep="\n")
    time.sleep(0.2)
    for name, process in victims.items():
        print(f"victim {name}: {process.poll()}")
        process.kill()
    for name, process in re.findall(r"^(orphan|liar) (\d+)$", said, re.MULTILINE):
        print(f"{name} is {state_of(process)}")


class HostileIds(Limited):
    def setUp(self):
        super().setUp()
        if subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode != 0:
            self.skipTest("no pid namespace can be made here")
        source = self.here / "hostile.c"
        source.write_text(HOSTILE, encoding="utf-8")
        self.program = self.here / "hostile"
        subprocess.run([os.environ.get("CC", "cc"), "-O1", source, "-o", self.program], check=True)

    def outcome(self, *options):
        result = subprocess.run([*NAMESPACE, sys.executable, __file__, "inside", self.program, "--memory", "16MiB",
                                 *options], cwd=self.here, text=True, capture_output=True, timeout=120,
                                start_new_session=True)  # kill(0)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def assert_others_live(self, said):
        self.assertIn("shell 0\n", said)
        self.assertGreaterEqual(said.count("victim"), 2, said)
        self.assertEqual(re.findall(r"victim .*: (?!None).*", said), [], said)

    def test_term_and_then_kill(self):
        said = self.outcome("--on-limit", "term", "--grace", "0.5")
        self.assert_others_live(said)
        self.assertIn("status 124\n", said)
        self.assertRegex(said, "orphan is (gone|Z)\n")
        self.assertRegex(said, "liar is (gone|Z)\n")

    def test_abort(self):
        said = self.outcome("--on-limit", "abort", "--grace", "0.5")
        self.assert_others_live(said)
        self.assertIn("status 124\n", said)
        self.assertRegex(said, "orphan is (gone|Z)\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(*sys.argv[2:])
    else:
        unittest.main()
