# SPDX-License-Identifier: MIT
"""Real programs with memprof preloaded, and two of them under heaptrack, which records every allocation. How
those of the system are run is in benchmarks/tracing; the libraries' are benchmarks/programs."""

import pathlib
import shutil
import sys

from variants import BASE, CONTROL, measuring, ours, over_allocators

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tracing"))
import real_programs as tracing  # noqa: E402

# What the table says, and what the program is called where it is run.
PROGRAMS = {"sqlite3": "sqlite3", "python3": "python3", "g++": "cc1plus", "nlohmann-json": "json",
            "GiNaC": "ginac", "redis-server": "redis-server"}
# Rounds of work in each process.
OUR_PROGRAMS = {"json": 8, "ginac": 40}
UNDER_HEAPTRACK = ["sqlite3", "python3"]


# What a program is to run at least: its size grows until it does. Less, and it shows what it costs to start.
LEAST_SECONDS = 0.25
# For each program, and half of that over other allocators. What takes long is also less noisy.
SECONDS = 120
LEAST_ROUNDS = 7

# With its interpreter, which reads the debug information of every module whatever the program does, and
# recording alone.
HEAPTRACK = {"heaptrack": [], "heaptrack --raw": ["--raw"]}


def under_heaptrack(command, how, directory):
    """heaptrack says on stderr what it found, which nobody wants to read here."""
    prefix = ["sh", "-c", 'exec "$@" 2>/dev/null', "sh", "heaptrack", *how, "-o", str(directory / "heaptrack")]
    return tracing.workloads.Command(command.name, prefix + command.command, command.stdin,
                                     command.environment)


def folder_of(directory, name):
    """A program's own: what it is to read is of its size."""
    folder = directory / name
    folder.mkdir(exist_ok=True)
    return folder


def long_enough(make, size):
    """The command make(size), or a larger one that runs LEAST_SECONDS at size 1."""
    command = make(size)
    seconds = tracing.run_command(command, {})
    least = LEAST_SECONDS * size
    return command if seconds >= least else make(size * least / seconds)


def jobs_of(options, directory):
    """{program: a function that runs it in an environment and gives its seconds of CPU}"""
    makers = {}
    for name in tracing.workloads.commands(directory):
        makers[name] = lambda size, n=name: tracing.workloads.commands(folder_of(directory, n), size)[n]
    for name, rounds in OUR_PROGRAMS.items():
        if path := measuring.program_if_there(options.build, name):
            makers[name] = lambda size, n=name, p=path, r=rounds: tracing.workloads.Command(
                n, [p, str(max(1, round(r * size)))])
    found = {name: long_enough(make, options.size) for name, make in makers.items()}
    jobs = {name: (lambda environment, c=command: tracing.run_command(c, environment))
            for name, command in found.items()}
    if tracing.workloads.Redis.there():
        jobs["redis-server"] = lambda environment: tracing.run_redis(tracing.workloads.Redis(directory),
                                                                     environment)
    return jobs, found


def rounds_of(jobs, options, seconds):
    """{job: [results]}; rounds as there are seconds for, but no more than twice what was asked for."""
    return measuring.interleaved_for(jobs, seconds, min(LEAST_ROUNDS, options.rounds), 2 * options.rounds)


def measure(options, directory):
    """Prints a table; {program: {"base": seconds of CPU, "values": ..., "ratios": ...}}."""
    preloaded = {name.removeprefix("preload, "): environment
                 for name, (_, environment) in ours(options.build, directory).items()
                 if name.startswith("preload, ")}
    heaptrack = HEAPTRACK if shutil.which("heaptrack") else {}
    names = ["rounds", CONTROL, *preloaded, *heaptrack]
    print("\n**Real programs, ratios of the CPU of all their processes and threads**\n")
    print(measuring.table(["program", "CPU", *names], []))
    programs, commands = jobs_of(options, directory)
    results = {}
    for title, program in PROGRAMS.items():
        if program not in programs:
            continue
        jobs = {name: (lambda e=environment: programs[program](e))
                for name, environment in {BASE: {}, CONTROL: {}, **preloaded}.items()}
        for name, how in heaptrack.items() if program in UNDER_HEAPTRACK else ():
            jobs[name] = lambda c=under_heaptrack(commands[program], how, directory): tracing.run_command(c, {})
        values = rounds_of(jobs, options, SECONDS)
        base = measuring.Ratio(values[BASE]).median
        ratios = {name: measuring.ratios(values[name], values[BASE]) for name in names if name in values}
        cells = {"rounds": len(values[BASE]), **ratios}
        print("| " + " | ".join([title, f"{base:.3f} s", *(str(cells.get(name, "")) for name in names)]) + " |",
              flush=True)
        results[title] = {"base": base, "values": values, "ratios": ratios}
    for title, program in PROGRAMS.items():
        if program not in programs:
            print(f"\n{title} is not installed.")
    if not heaptrack:
        print("\nheaptrack is not installed: scripts/install_dependencies.sh peers.")
    return results


def measure_over_allocators(options, directory):
    """The same over allocators that sample by themselves, or could; {"allocator/program": as `measure`}."""
    found, _ = over_allocators(options.build, directory)
    found = {name: {variant: environment for variant, (_, environment) in columns.items()
                    if variant in (BASE, CONTROL, "ours, with stacks") or variant.startswith("its own")}
             for name, columns in found.items() if name in ("jemalloc", "tcmalloc")}
    if not found:
        return {}
    own = sorted({name for columns in found.values() for name in columns if name.startswith("its own")},
                 key=lambda name: -int("".join(filter(str.isdigit, name))))
    names = ["rounds", CONTROL, "ours, with stacks", *own]
    print("\n**Real programs over other allocators, ratios to the allocator alone; its own sampling beside**\n")
    print(measuring.table(["allocator", "program", "alone, CPU", *names], []))
    programs, _ = jobs_of(options, directory)
    results = {}
    for title, program in PROGRAMS.items():
        if program not in programs:
            continue
        values = rounds_of(
            {(allocator, variant): (lambda e=environment: programs[program](e))
             for allocator, columns in found.items() for variant, environment in columns.items()},
            options, SECONDS / 2)
        for allocator, columns in found.items():
            base = values[allocator, BASE]
            ratios = {variant: measuring.ratios(values[allocator, variant], base) for variant in columns}
            cells = {"rounds": len(base), **ratios}
            print("| " + " | ".join([allocator, title, f"{measuring.Ratio(base).median:.3f} s",
                                     *(str(cells.get(name, "")) for name in names)]) + " |", flush=True)
            results[f"{allocator}/{title}"] = {"base": measuring.Ratio(base).median, "ratios": ratios}
    return results
