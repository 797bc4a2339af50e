# SPDX-License-Identifier: MIT
"""Runs nasty situations without memprof and under it, and compares what they print and how they end.

usage: run.py [--long] [--family NAME]... [--mode NAME]... [--table FILE] [SITUATION...]

The modes are those of support/modes.py; the short form leaves out 1e-3, traced and children. With --long also
over jemalloc, tcmalloc and mimalloc, which stand before and after our library in LD_PRELOAD.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import modes  # noqa: E402
import outside  # noqa: E402
import programs  # noqa: E402

FOLDER = pathlib.Path(os.environ["MEMPROF_SITUATIONS"])
SHORT = ["idle", "1", "recorded"]
# In the short form, too: what was wrong once.
MORE = {"main_ends_first": ["traced"], "address_space": ["children"]}

# Situations in which programs over another allocator do not behave as with that allocator alone, or it cannot be
# told: seen, and why.
NOT_OVER = {
    # It crashes by itself in the second. Its realloc and those of others leave errno alone, ours sets it. With all of
    # the address space taken, ours has blocks where it has none. It does not fit into LD_AUDIT's namespace.
    "jemalloc": {"too_large", "wrong_alignments", "fills_address_space", "audited", "audited_loading"},
    "tcmalloc": {"too_large"},
    # It does without malloc where there is no room for it and for us; aborts by itself where new_handlers are called;
    # its realloc to nothing returns a block, that of a sampled block null, as glibc's.
    "mimalloc": {"address_space", "data_limit", "new_handler_called", "nothing_requested"},
}

# What is known, and why (docs/reliability.md).
KNOWN = {
    # A recorded event reads the clock, which this filter forbids: the kernel disables its instruction.
    "strict_filter": {"traced", "recorded", "children"},
    # `record` refuses it with a sentence (outside.py).
    "static": {"recorded", "children"},
    # The thread that writes the trace is one more, and the kernel gives no user namespace to several.
    "new_pid_namespace": {"traced"},
    "user_namespace": {"traced"},
    # The memory shared with the recorder is 512 MiB of addresses, which mlockall makes memory.
    "fills_address_space": {"children"},
    "locked_memory": {"children"},
}


def modes_for(case, in_modes):
    wanted = dict.fromkeys([*in_modes, *MORE.get(case.name, ())])
    return [mode for mode in wanted if mode not in KNOWN.get(case.name, ())]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--long", action="store_true")
    options.add_argument("--family", action="append")
    options.add_argument("--mode", action="append", choices=modes.MODES)
    options.add_argument("--table", type=pathlib.Path)
    options.add_argument("names", nargs="*")
    chosen = options.parse_args()
    in_modes = chosen.mode or (modes.MODES if chosen.long else SHORT)
    allocators = modes.installed_allocators() if chosen.long else {}

    begin = time.monotonic()
    work = tempfile.TemporaryDirectory()
    cases = [case for case in programs.cases(FOLDER, pathlib.Path(work.name))
             if (not chosen.family or case.family in chosen.family) and (not chosen.names or case.name in chosen.names)]
    failures = []
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, row in zip(cases, pool.map(lambda c: modes.try_case(c, modes_for(c, in_modes), allocators, NOT_OVER),
                                             cases)):
            rows[case] = row
            failures += [] if modes.report(case, row) else [case.name]
    if not chosen.family or "outside" in chosen.family:
        for name, test in outside.tests(FOLDER, modes.COMMAND, modes.PRELOAD).items():
            if chosen.names and name not in chosen.names:
                continue
            text = test()
            print(f"outside.{name}: {text or 'as it should be'}", flush=True)
            if text and not text.startswith("skipped"):
                failures.append(name)
    if not rows and (chosen.names or not chosen.family or chosen.family != ["outside"]):
        sys.exit("there is no such situation")
    print(f"{len(rows)} situations, {sum(map(len, rows.values()))} comparisons, {len(failures)} differ; "
          f"{time.monotonic() - begin:.0f} s")
    if chosen.table:
        modes.write_table(chosen.table, rows)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
