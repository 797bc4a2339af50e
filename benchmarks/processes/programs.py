# SPDX-License-Identifier: MIT
"""Real programs with memprof preloaded, and under heaptrack, which records every allocation. The programs
and how they are run are those of benchmarks/tracing."""

import pathlib
import shutil
import sys

from variants import BASE, CONTROL, measuring, ours

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tracing"))
import real_programs as tracing  # noqa: E402

PROGRAMS = ["sqlite3", "python3"]


# With its interpreter, which reads the debug information of every module whatever the program does, and
# recording alone.
HEAPTRACK = {"heaptrack": [], "heaptrack --raw": ["--raw"]}


def under_heaptrack(command, how, directory):
    """heaptrack says on stderr what it found, which nobody wants to read here."""
    prefix = ["sh", "-c", 'exec "$@" 2>/dev/null', "sh", "heaptrack", *how, "-o", str(directory / "heaptrack")]
    return tracing.workloads.Command(command.name, prefix + command.command, command.stdin,
                                     command.environment)


def measure(options, directory):
    """Prints a table; {program: {"base": seconds of CPU, "values": ..., "ratios": ...}}."""
    preloaded = {name.removeprefix("preload, "): environment
                 for name, (_, environment) in ours(options.build, directory).items()
                 if name.startswith("preload, ")}
    heaptrack = HEAPTRACK if shutil.which("heaptrack") else {}
    names = [CONTROL, *preloaded, *heaptrack]
    print("\n**Real programs, ratios of the CPU of all their processes and threads**\n")
    print(measuring.table(["program", "CPU", *names], []))
    found = tracing.workloads.commands(directory, max(0.5, options.size))
    results = {}
    for program in PROGRAMS:
        if program not in found:
            print(f"\n{program} is not installed")
            continue
        command = found[program]
        jobs = {name: (lambda e=environment: tracing.run_command(command, e))
                for name, environment in {BASE: {}, CONTROL: {}, **preloaded}.items()}
        for name, how in heaptrack.items():
            jobs[name] = lambda c=under_heaptrack(command, how, directory): tracing.run_command(c, {})
        values = measuring.interleaved(jobs, options.rounds)
        base = measuring.Ratio(values[BASE]).median
        ratios = {name: measuring.ratios(values[name], values[BASE]) for name in names}
        print("| " + " | ".join([program, f"{base:.3f} s", *map(str, ratios.values())]) + " |", flush=True)
        results[program] = {"base": base, "values": values, "ratios": ratios}
    if not heaptrack:
        print("\nheaptrack is not installed: scripts/install_dependencies.sh peers.")
    return results
