# SPDX-License-Identifier: MIT
"""The situations that run.py compares: those of the program `situations`, and those that are programs, or
settings of the loader, of their own."""

import os
import pathlib
import shutil
import subprocess

from modes import Case


PLAIN = pathlib.Path(__file__).resolve().parent / "programs" / "plain_c.c"


def compiled(compiler, source, to, *options):
    """The program, or nothing if it cannot be made here."""
    if shutil.which(compiler) is None:
        return None
    done = subprocess.run([compiler, *options, str(source), "-o", str(to)], capture_output=True, check=False)
    return to if done.returncode == 0 else None


def cases(folder, work):
    program = str(folder / "situations")
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split("\n")
    result = [Case(*line.split(), [program, line.split()[1]]) for line in listed
              if line and not line.startswith("outside ")]
    result += programs_of_their_own(folder, work)
    return sorted(result, key=lambda case: (case.family, case.name))


def programs_of_their_own(folder, work):
    result = []

    def add(name, command, **more):
        result.append(Case("programs", name, [str(word) for word in command], **more))

    for binding in ("lazy", "now"):
        for name in ("stack_min", "ifunc", "own_malloc"):
            add(f"{name}_{binding}", [folder / f"situation_{name}_{binding}"], expected=0)
    plain = folder / "situation_plain_c_lazy"
    add("plain_c", [plain], expected=3)
    static = compiled(os.environ.get("CC", "cc"), PLAIN, work / "plain_static", "-static")
    if static is not None:
        add("static", [static], expected=3)
    else:
        print("skipped: static: it cannot be built here")
    deleted = work / "deleted"
    add("deleted_program", ["sh", "-c", f'cp "$1" "$2.$$" && exec 3<"$2.$$" && rm "$2.$$" && exec /proc/self/fd/3 '
                            "works_a_little", "sh", folder / "situations", deleted])
    add("setuid_program", ["sh", "-c", f'cp "{plain}" "{work}/setuid.$$" && chmod 4755 "{work}/setuid.$$" && '
                           f'"{work}/setuid.$$"'], expected=3)
    busy = [folder / "situations", "thread_local_destructors"]
    other = str(folder / "situation_other_preload.so")
    for name in ("live_threads", "fork_in_storm", "loaded_and_unloaded", "names_and_conversions"):
        work_of = [folder / "situations", name]
        add(f"{name}_after_another", work_of, before=other, expected=0)
        add(f"{name}_before_another", work_of, after=other, expected=0)
    audit = {"LD_AUDIT": str(folder / "situation_audit.so")}
    add("audited", busy, environment=audit, expected=0)
    add("audited_loading", [folder / "situations", "loaded_and_unloaded"], environment=audit, expected=0)
    add("bound_now", busy, environment={"LD_BIND_NOW": "1"}, expected=0)
    add("checked_heap", [folder / "situations", "works_with_thread"],
        environment={"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.perturb=85", "MALLOC_ARENA_MAX": "1"})
    return result
