# SPDX-License-Identifier: MIT
"""The variants that are compared: which program, with which environment."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from driving import measuring  # noqa: E402

# "On": the default rate, as limits use it. "With stacks": each sample is tracked with its call stack: by a
# profile in the linked program, by a trace that is written to a file in the preloaded one.
RATE = "1e-4"
BASE, CONTROL = "bare", "A/A"
# Bytes for a sample, at the default rate and at tcmalloc's and jemalloc's usual one.
OUR_BYTES, THEIR_BYTES = 80_000, 524_288


def ours(build, directory):
    """{variant: (program, environment)}"""
    bare = measuring.program(build, "processes-bare")
    linked = measuring.program(build, "processes")
    preload = {"LD_PRELOAD": measuring.preload_library(build)}
    trace = {"MEMPROF_RATE": "0", "MEMTRACE": str(pathlib.Path(directory) / "trace.ctf"),
             "MEMTRACE_RATE": RATE}
    return {
        BASE: (bare, {}),
        CONTROL: (bare, {}),
        "linked, idle": (linked, {"MEMPROF_RATE": "0"}),
        "linked, on": (linked, {"MEMPROF_RATE": RATE}),
        "linked, with stacks": (linked, {"MEMPROF_RATE": "0", "MEMPROF_BENCHMARK_PROFILE": RATE}),
        "preload, idle": (bare, {**preload, "MEMPROF_RATE": "0"}),
        "preload, on": (bare, {**preload, "MEMPROF_RATE": RATE}),
        "preload, with stacks": (bare, {**preload, **trace}),
    }


def loads(library):
    """Whether the loader finds it; it says on stderr if not."""
    run = subprocess.run(["true"], env={"PATH": "/usr/bin:/bin", "LD_PRELOAD": library},
                         capture_output=True, text=True, check=False)
    return run.returncode == 0 and "cannot be preloaded" not in run.stderr


def jemalloc_samples():
    """Whether this build of jemalloc can sample (--enable-prof): it complains of the option if not."""
    run = subprocess.run(["ls", "/"], env={"PATH": "/usr/bin:/bin", "LD_PRELOAD": "libjemalloc.so.2",
                                        "MALLOC_CONF": "prof:true,prof_active:false"},
                         capture_output=True, text=True, check=False)
    return "Invalid conf pair" not in run.stderr


def over_allocators(build, directory):
    """{allocator: {variant: (program, environment)}}, those that are installed, and remarks."""
    bare = measuring.program(build, "processes-bare")
    library = measuring.preload_library(build)
    trace = {"MEMPROF_RATE": "0", "MEMTRACE": str(pathlib.Path(directory) / "trace.ctf"),
             "MEMTRACE_RATE": RATE}
    found, remarks = {}, []

    def beneath(allocator, own):
        alone = {"LD_PRELOAD": allocator} if allocator else {}
        with_ours = {"LD_PRELOAD": f"{library} {allocator}".strip()}
        return {BASE: (bare, {**alone, **own}), CONTROL: (bare, {**alone, **own}),
                "ours, idle": (bare, {**with_ours, **own, "MEMPROF_RATE": "0"}),
                "ours, on": (bare, {**with_ours, **own, "MEMPROF_RATE": RATE}),
                "ours, with stacks": (bare, {**with_ours, **own, **trace})}

    found["glibc"] = beneath("", {})
    if loads("libjemalloc.so.2"):
        found["jemalloc"] = beneath("libjemalloc.so.2", {})
        if jemalloc_samples():
            for exponent, name in ((19, THEIR_BYTES), (16, 65_536)):
                found["jemalloc"][f"its own, {name} B"] = (bare, {
                    "LD_PRELOAD": "libjemalloc.so.2",
                    "MALLOC_CONF": f"prof:true,lg_prof_sample:{exponent}"})
        else:
            remarks.append("This jemalloc cannot sample (it was built without --enable-prof).")
    if loads("libtcmalloc_minimal.so.4"):
        found["tcmalloc, minimal"] = beneath("libtcmalloc_minimal.so.4", {})
    if loads("libtcmalloc.so.4"):
        full = beneath("libtcmalloc.so.4", {"TCMALLOC_SAMPLE_PARAMETER": "0"})
        for size in (THEIR_BYTES, OUR_BYTES):
            full[f"its own, {size} B"] = (bare, {"LD_PRELOAD": "libtcmalloc.so.4",
                                                 "TCMALLOC_SAMPLE_PARAMETER": str(size)})
        found["tcmalloc"] = full
    else:
        remarks.append("tcmalloc with its own sampling (libgoogle-perftools4) is not installed: "
                       "scripts/install_dependencies.sh peers.")
    return found, remarks
