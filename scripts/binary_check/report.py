# SPDX-License-Identifier: MIT
"""What is said of a file: facts, findings with evidence and remedy, notes; as text and for JSON."""

import dataclasses

NO_TABLES = "-fno-asynchronous-unwind-tables -fno-unwind-tables"
DENY = ("or deny the module: memprof::set_delivery_through_module(NAME, delivery_through::never), or "
        "set_delivery_through for a range of addresses")

# code: (what is wrong, what helps)
FINDINGS = {
    "no-exceptions": (
        "C++ compiled with -fno-exceptions has unwind tables, so an interrupt would pass through it and "
        "skip its destructors",
        f"compile these units with {NO_TABLES} as well (without tables they are refused), and without -flto; {DENY}"),
    "maybe-no-exceptions": (
        "C++ whose functions destroy objects after calls and have no exception table: compiled with "
        "-fno-exceptions, or everything called is noexcept; the object does not say which",
        "compile with -frecord-gcc-switches (or -g with g++, -grecord-command-line with clang) to make it "
        f"tell; if it is -fno-exceptions, add {NO_TABLES}; {DENY}"),
    "c-under-lto": (
        "C code takes part in link-time optimisation with C++: inlined into C++ functions it looks like "
        "C++, and an interrupt would pass through it",
        f"compile the C sources without -flto, and with {NO_TABLES}; {DENY}"),
    "stripped": (
        "a C++ module without symbols: C functions and thread_local initialisers in it cannot be told "
        "from C++",
        f"keep .symtab: strip --strip-debug instead of strip -s; or compile the C sources with {NO_TABLES}; "
        + DENY),
    "functions-without-symbols": (
        "functions with unwind tables have no symbol (strip -x, --strip-unneeded, --discard-all): C cannot "
        "be told from C++ there",
        f"keep local symbols: strip --strip-debug; or compile the C sources with {NO_TABLES}; {DENY}"),
    "tls-initialiser-inlined": (
        "the initialisation of thread_local variables is inlined into ordinary functions; an interrupt "
        "in there leaves the variables after it uninitialised for good",
        "make them local to a function (which is tried again after an exception), or define them in a "
        f"source of their own, without -flto; {DENY}"),
    "second-unwinder": (
        "the module brings an unwinder of its own; with the libgcc_s that glibc loads for pthread_exit and "
        "pthread_cancel there are two, and frames of call_once and of C with cleanups are refused",
        "link the shared libgcc (no -static-libgcc, no LLVM libunwind), or link everything with -static-pie"),
    "no-eh-frame-hdr": (
        "unwind tables without an index (.eh_frame_hdr): no function can be found without locks and "
        "malloc, so everything is refused",
        "link with -Wl,--eh-frame-hdr (gcc -static leaves it out), or with -static-pie"),
}


@dataclasses.dataclass
class Report:
    file: str
    kind: str = ""         # executable, shared object, object, LLVM bitcode
    language: str = ""     # C++, C, none, unknown
    facts: dict = dataclasses.field(default_factory=dict)
    findings: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)

    def find(self, code, evidence):
        what, remedy = FINDINGS[code]
        self.findings.append({"code": code, "what": what, "evidence": list(evidence), "remedy": remedy})

    def note(self, text):
        self.notes.append(text)

    def lines(self):
        facts = [self.kind, self.language] + [f"{name} {value}" for name, value in self.facts.items()]
        yield f"{self.file}: " + ", ".join(f for f in facts if f)
        for finding in self.findings:
            yield f"  finding {finding['code']}: {finding['what']}"
            for evidence in finding["evidence"]:
                yield f"    - {evidence}"
            yield f"    remedy: {finding['remedy']}"
        for note in self.notes:
            yield f"  note: {note}"


def some(items, most=5):
    """A few of many for a line of evidence."""
    items = list(items)
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more
