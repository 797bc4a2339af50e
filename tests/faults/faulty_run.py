# SPDX-License-Identifier: MIT
"""One run with a call that fails."""

import os
import pathlib
import subprocess

FOLDER = pathlib.Path(os.environ["MEMPROF_FAULTS"])
COMMAND = os.environ["MEMPROF_COMMAND"]
PRELOAD = os.environ["MEMPROF_PRELOAD"]
WORKER = str(FOLDER / "fault_worker")
CALLS = str(FOLDER / "failing_calls.so")
MALLOC = str(FOLDER / "failing_malloc.so")
# How the command records, by mode.
COMMANDS = {"record": ["record", "--rate", "1e-2", "--no-symbols", "-f", "-o", "t.ctf"],
            "record --children": ["record", "--children", "--rate", "1e-2", "--no-symbols", "-f", "-o", "t.ctf"],
            "run": ["run", "--memory", "1GiB"]}


class Run:
    def __init__(self, mode, environment, folder):
        report = folder / "report"
        report.unlink(missing_ok=True)
        for pattern in ("*.ctf", "*.part", "memprof.*"):
            for left in folder.glob(pattern):
                left.unlink()
        environment = {**os.environ, "FAIL_REPORT": str(report), "MEMPROF_SEED": "1", **environment}
        command = [WORKER]
        if mode in COMMANDS:
            command = [COMMAND, *COMMANDS[mode], "--", WORKER]
            environment |= {"LD_PRELOAD": CALLS, "FAIL_COMMAND": "1"}
        elif mode == "recorded":
            command = [COMMAND, "record", "-f", "--no-symbols", "--rate", "1e-2", "-o", str(folder / "t.ctf"), "--",
                       "env", f"LD_PRELOAD={CALLS}:{PRELOAD}", WORKER]
        else:
            environment["LD_PRELOAD"] = f"{CALLS}:{PRELOAD}" if mode != "beneath" else f"{PRELOAD}:{MALLOC}"
            environment.setdefault("MEMPROF_RATE", "1")
            if mode == "traced":
                environment |= {"MEMTRACE": str(folder / "t.ctf"), "MEMTRACE_RATE": "1e-2"}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60,
                                  cwd=folder)
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = "it hangs", "", ""
        else:
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.calls, self.mapped = map(int, report.read_text().split()) if report.exists() else (0, 0)


def numbers(n, every, first=6):
    """All of 1 to n, or the first ones and some."""
    if every:
        return range(1, n + 1)
    return sorted({*range(1, min(n, first) + 1), *range(1, n + 1, max(1, n // (first - 1))), n})
