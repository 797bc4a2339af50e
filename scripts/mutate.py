#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants faults of one token into src/runtime, one at a time, and asks whether the quick tests notice.

usage: mutate.py [--count N] [--seed N] [--skip N] [--minutes N] [--component NAME]... [--unit-tests] [--table FILE]

Works on a copy of what is committed (a git worktree in build/mutation), which keeps its build between faults: some
15 seconds for each on a quiet machine, and the tests. A fault that no test notices, a survivor, is printed with its
line: either a test is missing, or it changes nothing. A fault that does not compile counts as caught. Which faults a
seed picks depends on the lines that they are in alone, so most stay the same from commit to commit.

Exit status: 0, whatever survives; 1 if the tests fail without a fault.
"""

import argparse
import hashlib
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "mutation"

# Binary operators stand between blanks (clang-format), so templates, arrows and shifts are left alone.
TOKENS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ",
          " || ": " && ", " + ": " - ", " - ": " + ", "true": "false", "false": "true", " + 1": " + 2", " - 1": " - 2"}
NOT_CODE = re.compile(r"^\s*(//|#|template\b|static_assert|using\b|namespace\b)")
# What is built and run for a component, besides its own unit tests.
TARGETS = ["limits_test", "limits_core_test", "profile_test", "tracer_test", "program_first_limits",
           "program_thread_exit", "program_fork_in_task", "program_packed_blocks", "program_all_forms",
           "program_guarded", "program_grown_blocks"]
TESTS = r"^(limits: |limits\.core|profile: |tracer: |programs\.(first_limits|thread_exit|fork_in_task|packed_blocks|all_forms|guarded|grown_blocks)$)"
FIBERS = (["fiber_test", "fiber_program_stack_overflow"], r"^fiber: |^fiber\.programs\.stack_overflow$")
RECORD = (["memprof_preload", "memprof-cli", "record_hole"],
          r"^(record\.(threads|outside|memtrace|attach_recorders|exit_mark)|run\.refuse)_test$")
TESTING = (["testing_test"], r"^testing: ")
COPIES = (["copies_linked", "copies_core", "copies_neither", "copies_fiber", "memprof_preload"],
          r"^copies\.(linked|core|neither|fiber|foreign|inactive)")
ALSO = {"copies": COPIES,
        "delivery": (["delivery_outcomes", "delivery_matrix", "delivery_decoder"],
                     r"^delivery\.(outcomes|matrix|decoder_short)$"),
        "engine": FIBERS, "fiber": FIBERS,
        "limits": (FIBERS[0] + TESTING[0] + ["program_refused_malloc"],
                   f"{FIBERS[1]}|{TESTING[1]}|^programs\\.refused_malloc$"),
        "modules": (["program_reloaded_module", "program_unloaded_module"],
                    r"^programs\.(re|un)loaded_module$"),
        "override": (["program_new_handler", "program_usable_size", "program_huge_request", "program_refused_malloc"],
                     r"^programs\.(new_handler|usable_size|huge_request|refused_malloc)$"),
        "relay": RECORD, "testing": TESTING, "tracer": RECORD}


def places(components):
    """(file, line number, column, token) of everything that can be changed."""
    for file in sorted((COPY / "src/runtime").rglob("*.[ch]pp")):
        if components and file.relative_to(COPY / "src/runtime").parts[0] not in components:
            continue
        if "aarch64" in file.parts or file.name == "unsupported_processor.hpp":
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n")):
            if NOT_CODE.match(line):
                continue
            code = re.sub(r'"(\\.|[^"\\])*"', lambda m: "_" * len(m[0]), line.split("//")[0])
            for token in TOKENS:
                for found in re.finditer(rf"\b{token}\b" if token.isalpha() else re.escape(token), code):
                    yield file, number, found.start(), token


def order(seed, file, number, column, token, lines):
    """The key of a place: sorted by it, places are in a random order, which changes to other lines leave as it is."""
    same = sum(line == lines[number] for line in lines[:number])
    text = f"{seed} {file.relative_to(COPY)} {lines[number].strip()} {same} {column} {token}"
    return hashlib.sha256(text.encode()).digest()


def run(command, log, timeout):
    """0: it went well."""
    with log.open("ab") as out:
        try:
            return subprocess.run(command, stdout=out, stderr=out, check=False, cwd=COPY, timeout=timeout).returncode
        except subprocess.TimeoutExpired:
            return 1


class Trial:
    """Builds and tests the copy as it is."""

    def __init__(self, log, unit_tests):
        self.log = log
        self.unit_tests = unit_tests
        self.known = None

    def targets(self, components, unit_tests):
        wanted = [f"unit_{component}_test" for component in components]
        if not unit_tests:
            wanted += [*TARGETS, *(target for c in components for target in ALSO.get(c, ([], ""))[0])]
        if self.known is None:
            text = subprocess.run(["ninja", "-C", "build/dev", "-t", "targets", "all"], cwd=COPY, capture_output=True,
                                  text=True, check=True).stdout
            self.known = {line.split(":")[0].rsplit("/", 1)[-1] for line in text.split("\n")}
        return [target for target in wanted if target in self.known]

    def run_tests(self, components, unit_tests):
        """The outcome of the tests of these components: the units' alone, or all of them."""
        targets = self.targets(components, unit_tests)
        if not targets:
            return "survived"
        if run(["cmake", "--build", "--preset", "extended", "--target", *targets], self.log, 1800) != 0:
            return "does not compile"
        names = [rf"^unit\.({'|'.join(components)}):"]
        if not unit_tests:
            names += dict.fromkeys([TESTS, *(ALSO[c][1] for c in components if c in ALSO)])
        # One after the other: ctest takes few groups in an expression.
        test = ["ctest", "--preset", "extended", "-E", "not built", "--stop-on-failure", "--timeout", "60", "-R"]
        return "survived" if all(run([*test, n], self.log, 1800) == 0 for n in names) else "caught"

    def outcome(self, component):
        """Most faults are caught by the tests of their units, which build in a fraction of the time."""
        outcome = self.run_tests([component], True)
        return outcome if outcome != "survived" or self.unit_tests else self.run_tests([component], False)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=30)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--skip", type=int, default=0, help="leave out so many of them, which were tried before")
    options.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: not before all are done")
    options.add_argument("--component", action="append")
    options.add_argument("--unit-tests", action="store_true", help="build and run the component's own tests alone")
    options.add_argument("--table", type=pathlib.Path)
    chosen = options.parse_args()
    if not COPY.exists():
        subprocess.run(["git", "worktree", "add", "--detach", str(COPY), "HEAD"], cwd=ROOT, check=True)
    subprocess.run(["git", "checkout", "-q", "--detach", subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()], cwd=COPY,
        check=True)
    subprocess.run(["git", "checkout", "-q", "--", "."], cwd=COPY, check=True)
    log = COPY / "build" / "mutation.log"
    log.parent.mkdir(exist_ok=True)
    if run(["cmake", "--preset", "extended"], log, 600) != 0:
        sys.exit(f"{log}: the copy cannot be configured")
    trial = Trial(log, chosen.unit_tests)
    every = list(places(chosen.component))
    texts = {file: file.read_text(encoding="utf-8").split("\n") for file, *_ in every}
    picked = sorted(every, key=lambda place: order(chosen.seed, *place, texts[place[0]]))[chosen.skip:chosen.count]
    components = sorted({place[0].relative_to(COPY / "src/runtime").parts[0] for place in picked})
    if (outcome := trial.run_tests(components, chosen.unit_tests)) != "survived":
        sys.exit(f"without a fault, {', '.join(components)}: {outcome}; see {log}")
    begin = time.monotonic()
    rows = []
    for file, number, column, token in picked:
        if chosen.minutes and time.monotonic() - begin > chosen.minutes * 60:
            break
        text = file.read_text(encoding="utf-8")
        lines = text.split("\n")
        line = lines[number]
        lines[number] = line[:column] + TOKENS[token] + line[column + len(token):]
        file.write_text("\n".join(lines), encoding="utf-8")
        try:
            outcome = trial.outcome(file.relative_to(COPY / "src/runtime").parts[0])
        finally:
            file.write_text(text, encoding="utf-8")
        name = f"{file.relative_to(COPY)}:{number + 1}"
        rows.append((name, token.strip(), TOKENS[token].strip(), outcome))
        print(f"{outcome}: {name}: {line.strip()}  ({token.strip()} becomes {TOKENS[token].strip()})", flush=True)
    survivors = sum(row[3] == "survived" for row in rows)
    print(f"{len(rows)} faults of {len(every)} possible, seed {chosen.seed}: {survivors} survived; "
          f"{time.monotonic() - begin:.0f} s")
    if chosen.table:
        with chosen.table.open("w", encoding="utf-8") as out:
            out.write("| place | was | became | outcome |\n|---|---|---|---|\n")
            for row in rows:
                out.write("| `" + "` | `".join(row[:3]).replace("||", "\\|\\|") + f"` | {row[3]} |\n")


if __name__ == "__main__":
    main()
