# SPDX-License-Identifier: MIT
"""Situations in which something is done to the program or to its recorder from outside. Each test returns what
went wrong, "skipped: ..." if it cannot be tried here, or nothing."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import programs


def tests(folder, command, preload):
    return {name: (lambda test=test: test(folder / "situations", command, preload))
            for name, test in sorted(globals().items()) if getattr(test, "is_test", False)}


def test(function):
    function.is_test = True
    return function


def record(command, trace, program, *situation, rate="1e-2"):
    return subprocess.Popen([command, "record", "--no-symbols", "--rate", rate, "-o", str(trace), "--",
                             str(program), *situation], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def child_of(process):
    """The recorded program, once it runs the program itself."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children:
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{child}/exe").endswith("situations"):
                    return int(child)
        time.sleep(0.01)
    raise AssertionError("the program does not start")


def stacks_in(command, trace):
    return subprocess.run([command, "flamegraph", str(trace)], capture_output=True, text=True, check=False)


@test
def recorder_killed(program, command, _preload):
    """The program goes on, and ends as it would have."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = record(command, f"{folder}/t.ctf", program, "works_for_a_while", rate="1")
        child = child_of(recorder)
        time.sleep(0.2)
        recorder.kill()
        out, _ = recorder.communicate(timeout=60)  # the pipe is the program's, too
        if "done, sum" not in out:
            return f"the program printed {out!r}"
    return "" if not pathlib.Path(f"/proc/{child}/exe").exists() else "the program did not end"


@test
def program_killed(program, command, _preload):
    with tempfile.TemporaryDirectory() as folder:
        recorder = record(command, f"{folder}/t.ctf", program, "works_for_a_while")
        os.kill(child_of(recorder), signal.SIGKILL)
        _, err = recorder.communicate(timeout=60)
        if recorder.returncode != 128 + signal.SIGKILL:
            return f"status {recorder.returncode}: {err}"
        read = stacks_in(command, f"{folder}/t.ctf") if os.path.exists(f"{folder}/t.ctf") else None
        return read.stderr if read is not None and read.returncode != 0 else ""


@test
def both_stopped_and_continued(program, command, _preload):
    with tempfile.TemporaryDirectory() as folder:
        recorder = record(command, f"{folder}/t.ctf", program, "works_for_a_while", rate="1e-1")
        child = child_of(recorder)
        for victim in (child, recorder.pid, child, recorder.pid):
            os.kill(victim, signal.SIGSTOP)
            time.sleep(0.1)
            os.kill(victim, signal.SIGCONT)
        out, err = recorder.communicate(timeout=60)
        if recorder.returncode != 0 or "done, sum" not in out:
            return f"status {recorder.returncode}: {out} {err}"
        return stacks_in(command, f"{folder}/t.ctf").stderr


@test
def recorder_stopped_for_long(program, command, _preload):
    """The program waits a second in all, then goes on without it."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = record(command, f"{folder}/t.ctf", program, "works_for_a_while", rate="1")
        child = child_of(recorder)
        os.kill(recorder.pid, signal.SIGSTOP)
        until = time.monotonic() + 60
        while time.monotonic() < until:  # a zombie: its parent is stopped
            if pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                break
            time.sleep(0.05)
        else:
            return "the program waits for the recorder for ever"
        os.kill(recorder.pid, signal.SIGCONT)
        out, err = recorder.communicate(timeout=60)
        return "" if recorder.returncode == 0 and "done, sum" in out else f"status {recorder.returncode}: {err}"


@test
def cannot_be_recorded(_program, command, _preload):
    """Programs that load no library, or none of glibc's: a sentence instead of an empty trace."""
    with tempfile.TemporaryDirectory() as folder:
        made = [programs.compiled(os.environ.get("CC", "cc"), programs.PLAIN, pathlib.Path(folder) / "static", "-static"),
                programs.compiled("musl-gcc", programs.PLAIN, pathlib.Path(folder) / "musl")]
        made = [program for program in made if program is not None]
        for program in made:
            done = subprocess.run([command, "record", "-o", f"{folder}/t.ctf", "--", str(program)], capture_output=True,
                                  text=True, check=False)
            if done.returncode != 126 or "cannot be traced" not in done.stderr:
                return f"{program}: status {done.returncode}: {done.stderr}"
    return "" if made else "skipped: neither can be built here"


@contextlib.contextmanager
def small_disk():
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True,
                          check=False).returncode != 0:
            yield None
            return
        try:
            yield folder
        finally:
            subprocess.run(["umount", folder], check=True)


@test
def trace_on_full_disk(program, command, preload):
    """The program is not harmed, and somebody says that the trace is not whole."""
    with small_disk() as folder:
        if folder is None:
            return "skipped: mounting is not permitted"
        recorder = record(command, f"{folder}/t.ctf", program, "works_for_a_while", rate="1e-1")
        out, err = recorder.communicate(timeout=60)
        if "done, sum" not in out or not re.search("[Nn]o space", err):
            return f"recorded: status {recorder.returncode}, {out!r}, {err!r}"
        for trace in pathlib.Path(folder).iterdir():
            trace.unlink()
        traced = subprocess.run([str(program), "works_for_a_while"], capture_output=True, text=True, check=False,
                                timeout=60, env={**os.environ, "LD_PRELOAD": preload, "MEMTRACE": f"{folder}/t.ctf",
                                                 "MEMTRACE_RATE": "1e-1"})
        if traced.returncode != 0 or "done, sum" not in traced.stdout or not re.search("[Nn]o space", traced.stderr):
            return f"traced: status {traced.returncode}, {traced.stdout!r}, {traced.stderr!r}"
    return ""


@contextlib.contextmanager
def memory_group(megabytes):
    """A control group of version 1 or 2 with so much memory, or nothing."""
    name = f"memprof-situation-{os.getpid()}"
    for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(root) / name
        try:
            group.mkdir()
            (group / limit).write_text(str(megabytes << 20))
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
            continue
        try:
            yield group
        finally:
            for _ in range(100):
                with contextlib.suppress(OSError):
                    group.rmdir()
                    break
                time.sleep(0.05)
        return
    yield None


@test
def out_of_memory_in_group(program, command, preload):
    """The kernel kills it, with us and without; what was recorded until then can be read."""
    with memory_group(64) as group, tempfile.TemporaryDirectory() as folder:
        if group is None:
            return "skipped: control groups are not permitted"
        inside = ["sh", "-c", f"echo $$ > {group}/cgroup.procs; exec \"$@\"", "sh"]
        eats = [str(program), "eats_memory"]
        for environment in ({}, {"LD_PRELOAD": preload, "MEMPROF_RATE": "1e-3"}):
            done = subprocess.run([*inside, *eats], capture_output=True, check=False, timeout=60,
                                  env={**os.environ, **environment})
            if done.returncode != -signal.SIGKILL:
                return f"status {done.returncode} with {environment}: {done.stderr!r}"
        done = subprocess.run([command, "record", "--no-symbols", "--rate", "1e-3", "-o", f"{folder}/t.ctf", "--",
                               *inside, *eats], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 128 + signal.SIGKILL:
            return f"recorded: status {done.returncode}: {done.stderr}"
        if (read := stacks_in(command, f"{folder}/t.ctf")).returncode != 0:
            return read.stderr
    return ""
