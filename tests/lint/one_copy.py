# SPDX-License-Identifier: MIT
"""Every public function with state of the process or a thread works in the copy that the process uses.

- A function or class that a public header exports (MEMPROF_API) is in the table of copies/functions.hpp, or here
  with the reason why it need not be.
- A function in the table begins by asking for the other copy: `other->NAME(` stands in a source of src/runtime.
"""

import re

from lint_files import code_lines, finish, project_files, read

TABLE = "src/runtime/copies/functions.hpp"

PURE = {
    "make_request": "arranges its arguments",
    "stop_source_of": "arranges its arguments",
    "linked_version": "about the copy that is linked",
    "describe": "reads modules' files",
    "describe_origin": "reads modules' files",
    "to_string": "arithmetic",
    "throw_poisoned": "throws",
    "throw_out_of_range": "throws",
    "raise_limit": "changes the notice alone",
    "message": "arranges members",
    "register_permanent_source": "calls register_source",
    "pause_point": "tasks are refused: check_active",
    "abandoned_tasks": "tasks are refused: check_active",
    "respond": "of memprof::serve; all that it asks of the library is in the table",
    "collect_stacks": "as respond",
    "set_page_file": "as respond",
    "publish": "as respond",
    "start_listener": "as respond",
    "report_stack_overflows": "tasks are refused: check_active",
}
CLASSES = {
    "token": "make_token_state, drop_token_state; the flag is read and set in place",
    "budget": "open_budget, live_of_budget, interruption_of, run; the sums are read in place",
    "budget_handle": "interruption_of, current_budget, run",
    "profile": "end_profile, stop_profile, discard_profile; the session is read in place",
    "source_registration": "register_source, unregister_source",
    "memory_resource": "allocate_from, deallocate_to",
    "external": "report_allocation, report_deallocation",
    "limit_exceeded": "a value", "not_active": "a value", "interrupted": "a value", "poisoned": "a value",
    "listener": "a socket and a thread of its own",
    "metrics": "text", "published": "the list of the copy of memprof::serve that is linked",
    "task_base": "tasks are refused: check_active",
}

EXPORTED = re.compile(r"\bMEMPROF_API\b([^;{]*)[;{]")


def exported(text):
    """([functions], [classes]) that a header marks with MEMPROF_API."""
    functions, classes = [], []
    for match in EXPORTED.finditer("\n".join(code_lines(text))):
        before = text_before(match)
        rest = match.group(1)
        if re.search(r"\b(class|struct)\s*$", before):
            classes.append(re.match(r"\s*(\w+)", rest).group(1))
        else:
            functions.append(re.search(r"(\w+)\s*\(", rest).group(1))
    return functions, classes


def text_before(match):
    return match.string[max(0, match.start() - 20):match.start()]


def table_of(text):
    return re.findall(r"MEMPROF_OFFERS\([\w:]+,\s*(\w+)\);", "\n".join(code_lines(text)))


def problems_of(headers, table, sources):
    """headers, sources: {name: text}; table: the text of functions.hpp."""
    members = table_of(table)
    problems = []
    for name, text in headers.items():
        functions, classes = exported(text)
        problems += [f"{name}: {f} is neither in {TABLE} nor, with a reason, in one_copy.py"
                     for f in functions if f not in members and f not in PURE]
        problems += [f"{name}: the class {c} is not in one_copy.py" for c in classes if c not in CLASSES]
    code = "\n".join(sources.values())
    problems += [f"{TABLE}: {f} does not ask for the other copy" for f in members
                 if f"other->{f}(" not in code]
    return problems


def main():
    names = project_files()
    headers = {n: read(n) for n in names if n.startswith("include/memprof/") and "/trace/" not in n
               and not n.endswith("/export.hpp")}
    sources = {n: read(n) for n in names if n.startswith("src/runtime/") and n.endswith(".cpp")}
    finish(problems_of(headers, read(TABLE), sources), "one copy")


if __name__ == "__main__":
    main()
