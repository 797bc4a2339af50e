# SPDX-License-Identifier: MIT
"""The goals that are judged by processes and by real programs, beside what was measured."""

from variants import BASE, CONTROL, OUR_BYTES, measuring

# What, where it was measured (part, row, column), and the most that it may be. "On" in a goal means that
# samples have stacks.
STACKS = "with stacks"
GOALS = [
    ("linked idle, 64 B", "workloads", "malloc-64", "linked, idle", 1.03),
    ("linked idle, rnd", "workloads", "rnd", "linked, idle", 1.03),
    ("new/delete on, linked", "workloads", "new", f"linked, {STACKS}", 1.02),
    ("new/delete on, preload", "workloads", "new", f"preload, {STACKS}", 1.08),
    ("linked on, 64 B", "workloads", "malloc-64", f"linked, {STACKS}", 1.08),
    ("linked on, 512 B", "workloads", "malloc-512", f"linked, {STACKS}", 1.20),
    ("linked on, rnd", "workloads", "rnd", f"linked, {STACKS}", 1.04),
    ("2 threads on, linked", "workloads", "two-threads, CPU", f"linked, {STACKS}", 1.15),
    ("producer/consumer on, linked, wall", "workloads", "producer-consumer", f"linked, {STACKS}", 1.10),
    ("4 threads, frees on others, on, linked, wall", "workloads", "ring-of-four", f"linked, {STACKS}", 1.10),
    ("4 threads, frees on others, on, preload, wall", "workloads", "ring-of-four", f"preload, {STACKS}",
     1.10),
    ("memory on, 400 MB of 64 B, linked", "workloads", "memory", "linked, on", 1.01),
    ("memory on, 400 MB of 64 B, preload", "workloads", "memory", f"preload, {STACKS}", 1.01),
    ("throw through 30 frames, linked", "workloads", "throw", "linked, on", 1.05),
    ("throw through 30 frames, preload", "workloads", "throw", "preload, on", 1.05),
    ("thread with one allocation, on, linked", "workloads", "spawn", "linked, on", 1.10),
    ("thread with one allocation, on, preload", "workloads", "spawn", "preload, on", 1.10),
    ("sqlite on", "programs", "sqlite3", STACKS, 1.05),
    ("python on", "programs", "python3", STACKS, 1.08),
]
# Idle over another allocator, each workload.
OVER_ALLOCATORS = {"jemalloc": 1.12, "tcmalloc": 1.20, "tcmalloc, minimal": 1.20}
MOST_FROM_CONTROL = 0.02


def verdict(value, most, control):
    """A run counts only if its control is near 1."""
    if abs(control.median - 1) > MOST_FROM_CONTROL:
        return f"control {control.median:.3f}: does not count"
    if value.median <= most:
        return "met"
    return "missed" if value.low > most else "missed, within the quartiles"


def heaptrack_row(programs):
    """How much slower heaptrack makes sqlite than we do, recording alone, round by round."""
    values = programs.get("sqlite3", {}).get("values", {})
    if "heaptrack --raw" not in values:
        return None
    found = measuring.ratios(values["heaptrack --raw"], values[STACKS])
    control = programs["sqlite3"]["ratios"][CONTROL]
    said = "met" if found.median >= 1.9 else "missed"
    if abs(control.median - 1) > MOST_FROM_CONTROL:
        said = verdict(found, 0, control)
    return ["heaptrack --raw / ours, sqlite", ">= 1.9", str(found), said]


def tcmalloc_row(allocators):
    """What sampling adds to a pair of 512 B, ours over glibc / tcmalloc's own, at 80 kB a sample."""
    theirs, ours = allocators.get("tcmalloc/malloc-512"), allocators.get("glibc/malloc-512")
    column = f"its own, {OUR_BYTES} B"
    if not theirs or not ours or column not in theirs["values"]:
        return None
    added = [[on - off for on, off in zip(row["values"][name], row["values"][BASE])]
             for row, name in ((ours, f"ours, {STACKS}"), (theirs, column))]
    found = measuring.ratios(*added)
    return ["added to 512 B, ours / tcmalloc's at 80 kB a sample", "<= 0.1", str(found),
            verdict(found, 0.1, ours["ratios"][CONTROL])]


def statmemprof_row(found):
    if not found:
        return None
    controls = [found["control"], found["our control"]]
    return ["a sample / OCaml statmemprof's", "<= 1.00", str(found["ratio"]),
            verdict(found["ratio"], 1.0, max(controls, key=lambda control: abs(control.median - 1)))]


def over_allocators(allocators):
    """Rows for what was measured over other allocators."""
    for key, row in allocators.items():
        allocator, _, workload = key.rpartition("/")
        if allocator in OVER_ALLOCATORS:
            most, found = OVER_ALLOCATORS[allocator], row["ratios"]["ours, idle"]
            yield [f"idle over {allocator}, {workload}", f"<= {most:.2f}", str(found),
                   verdict(found, most, row["ratios"][CONTROL])]


def report(results):
    rows = []
    for what, part, row, column, most in GOALS:
        if row in results.get(part, {}):
            ratios = results[part][row]["ratios"]
            rows.append([what, f"<= {most:.2f}", str(ratios[column]),
                         verdict(ratios[column], most, ratios[CONTROL])])
    rows += over_allocators(results.get("allocators", {}))
    rows += filter(None, [heaptrack_row(results.get("programs", {})),
                          tcmalloc_row(results.get("allocators", {})),
                          statmemprof_row(results.get("statmemprof", {}))])
    if rows:
        print("\n**Goals**\n")
        print(measuring.table(["on / bare", "goal", "measured", ""], rows), flush=True)
