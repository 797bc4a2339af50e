# SPDX-License-Identifier: MIT
"""Things that must not stand in src/runtime, which runs inside the profiled program, where they could call
malloc from malloc, block in it, or throw through it; and in all of the product, files that are made in an unsafe way."""

import pathlib
import re

from lint_files import code_lines, finish, project_files, read

RUNTIME = "src/runtime/"
# For the user's tests, which may allocate.
LEFT_OUT = RUNTIME + "testing/"

# what, why not, and where it may stand nevertheless: {file under src/runtime/: why}
RULES = [
    (re.compile(r"#\s*include\s*<(iostream|fstream|sstream|iomanip|locale)>|std::(cout|cerr|clog)\b"),
     "iostreams allocate and lock",
     {}),
    (re.compile(r"\b\w*printf\s*\("),
     "printf and its family may allocate and take locks of stdio",
     {"limits/interrupted.cpp": "interrupted::message(), which the user calls after the task"}),
    (re.compile(r"\bstd::(recursive_|timed_|recursive_timed_|shared_|shared_timed_)?mutex\b"
                r"|\bstd::condition_variable|\bpthread_mutex_t\b"),
     "a lock that malloc may need blocks it after fork and in signal handlers: see base/spin_lock.hpp",
     {}),
    (re.compile(r"\bthrow\b"),
     "only the public boundary and the delivery of an interrupt throw",
     {"delivery/raise.cpp": "the interrupt itself",
      "delivery/decide/delivery_overrides.cpp": "arguments of settings",
      "delivery/decide/unsafe_functions.cpp": "arguments of settings",
      "callstack/settings.cpp": "arguments of settings",
      "limits/run.cpp": "lets the task's own exceptions through",
      "limits/abandoned_scopes.cpp": "no memory for a scope: before the task is run",
      "limits/scope.cpp": "no memory for a scope's account: before the task is run",
      "limits/budget.cpp": "no memory for the account: constructor",
      "limits/check_arguments.cpp": "arguments of limit functions: before the task is run",
      "limits/process.cpp": "arguments of settings",
      "limits/poisonable.cpp": "the lock of a poisonable that is marked bad",
      "c_interface/convert.hpp": "caught by its callers, which return a status",
      "c_interface/convert.cpp": "caught by its callers, which return a status",
      "fiber/task.cpp": "misuse of a task: outside of it",
      "fiber/task_core.cpp": "no memory for a stack: before the task is run",
      "fiber/task_limits.cpp": "misuse of a task: outside of it",
      "sources/sources.cpp": "arguments of memprof::external",
      "profile/profile.cpp": "arguments and misuse of start, stop and discard",
      "tracer/tracing.cpp": "the public interface, before a trace is begun",
      "override/operator_new.cpp": "std::bad_alloc where there is no memory, as the standard says"}),
    (re.compile(r"\b(std::)?this_thread::sleep_(for|until)\b|\bstd::thread\b|\bstd::jthread\b"),
     "no threads of our own and no waiting in somebody else's program",
     {}),
]


# Everywhere in the product: files that are made without O_EXCL and O_NOFOLLOW.
MADE_FILES = re.compile(r"\bO_(CREAT|TRUNC)\b|\bstd::(ofstream|fstream)\b|\b(fopen|freopen|creat)\s*\(")
MADE_FILES_WHY = "follows a link that another user has put there: see src/shared/trace/create_file.hpp"
MAKERS_OF_FILES = {"src/shared/trace/create_file.cpp": "the tools'",
                   "src/runtime/tracer/trace_file.cpp": "the program's own, named by MEMTRACE"}


def made_files(name, text):
    if not name.startswith(("src/", "tools/")) or name in MAKERS_OF_FILES:
        return []
    if pathlib.PurePosixPath(name).suffix not in {".cpp", ".hpp"}:
        return []
    return [f"{name}:{number}: {found.group(0).strip()}: {MADE_FILES_WHY}"
            for number, line in enumerate(code_lines(text), 1) if (found := MADE_FILES.search(line))]


def problems_of(name, text):
    if not name.startswith(RUNTIME) or name.startswith(LEFT_OUT):
        return []
    if pathlib.PurePosixPath(name).suffix not in {".cpp", ".hpp"}:
        return []
    inside = name.removeprefix(RUNTIME)
    problems = []
    for number, line in enumerate(code_lines(text), 1):
        for pattern, why, allowed in RULES:
            if (found := pattern.search(line)) and inside not in allowed:
                problems.append(f"{name}:{number}: {found.group(0).strip()}: {why}")
    return problems


def stale_permissions(names):
    """Permissions whose file is gone, or no longer needs them."""
    problems = [f"forbidden.py: {name} has a permission and does not exist"
                for name in MAKERS_OF_FILES if name not in names]
    for pattern, _, allowed in RULES:
        for inside in allowed:
            name = RUNTIME + inside
            if name not in names:
                problems.append(f"forbidden.py: {name} has a permission and does not exist")
            elif not any(pattern.search(line) for line in code_lines(read(name))):
                problems.append(f"forbidden.py: {name} has a permission that it does not use")
    return problems


if __name__ == "__main__":
    files = project_files()
    finish([p for name in files for p in problems_of(name, read(name)) + made_files(name, read(name))] + stale_permissions(files),
           "things forbidden in the profiled program, and unsafe files")
