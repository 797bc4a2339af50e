# SPDX-License-Identifier: MIT
"""From facts to findings: objects, and programs and shared objects."""

import re

from . import code, dwarf
from . import elf as e
from .report import Report, some
from .unwind import CXX_PERSONALITY, procedures

CRT = {"_start", "_init", "_fini", "deregister_tm_clones", "register_tm_clones",
       "__do_global_dtors_aux", "frame_dummy", "_dl_relocate_static_pie"}
LTO_NAME = re.compile(r"\.(lto_priv|llvm)\.\d+$")


def check(name, data):
    """The Report on one file or archive member."""
    if data[:4] in (b"BC\xc0\xde", b"\xde\xc0\x17\x0b"):
        return check_bitcode(name, data)
    file = e.Elf(data)
    report = Report(name)
    found = list(procedures(file))
    functions = code.Functions(file)
    (check_object if file.type == e.ET_REL else check_linked)(file, report, found, functions)
    return report


def check_bitcode(name, data):
    """clang -flto: neither code nor tables are there yet; the names are, in one piece."""
    language = "C++" if b"_Z" in data else "C"
    report = Report(name, "LLVM bitcode", language, {"link-time optimisation": "yes"})
    if language == "C":
        report.find("c-under-lto", ["bitcode without any mangled name"])
    report.note("bitcode does not say whether it was compiled with -fno-exceptions; check the linked file")
    return report


def units_of(file, report, prefix=""):
    debug = dwarf.Debug(file, prefix)
    units = debug.units()
    if any(u.split for u in units):
        report.note("the debug information is split off (.dwo): what compiled the units is not known here")
    return debug, units


def recorded_switches(file):
    """What -frecord-gcc-switches leaves, and the options of GCC's LTO objects."""
    texts = []
    for name in (".GCC.command.line", ".gnu.lto_.opts"):
        texts += [t.decode("utf-8", "replace")
                  for t in file.contents(file.section(name)).split(b"\0") if t]
    return texts


def without_exceptions(texts):
    """Those that have -fno-exceptions and not the remedy."""
    return [t for t in texts if "-fno-exceptions" in t and not
            ("-fno-asynchronous-unwind-tables" in t and "-fno-unwind-tables" in t)]


def describe(unit):
    return f"{unit.name or 'a unit without a name'} ({unit.producer})"


def unit_evidence(units, lto=False):
    # The code of GCC's LTO is in a unit of its own; those of the sources have none.
    lto = lto or any("GIMPLE" in u.producer for u in units)
    return [describe(u) for u in units if (u.has_code or lto)
            and u.language in dwarf.CXX_LANGUAGES and without_exceptions([u.producer])]


def without_symbol(file, found, functions):
    """Procedures that no symbol names. The linker's own PLT has none."""
    plt = [s for s in file.sections if s.name.startswith(".plt") and file.type != e.ET_REL]
    return [p for p in found if p.size and not functions.overlap(p) and
            not any(s.address <= p.begin < s.address + s.size for s in plt)]


# Objects


def object_language(file, functions, units):
    languages = {u.language for u in units}
    if languages & dwarf.CXX_LANGUAGES:
        return "C++"
    if languages & dwarf.C_LANGUAGES:
        return "C"
    # An LTO object has no functions, but their names.
    names = [s.name for s in functions.symbols] or [s.name for s in file.symbols if s.binding and s.name]
    names += [s.name[len(".gnu.lto_"):] for s in file.sections if s.name.startswith(".gnu.lto__Z")]
    if not names:
        return "none"
    return "C++" if any(code.is_mangled(n) for n in names) else "C"


def check_object(file, report, found, functions):
    lto = any(s.name.startswith(".gnu.lto_") for s in file.sections)
    prefix = ".gnu.debuglto_" if lto and file.section(".debug_info") is None else ""
    _, units = units_of(file, report, prefix)
    report.kind, report.language = "object", object_language(file, functions, units)
    report.facts = {"unwind tables": "yes" if found else "no",
                    "link-time optimisation": "yes" if lto else "no"}
    switches = recorded_switches(file)
    if report.language == "C++":
        check_object_exceptions(file, report, found, functions, units, switches, lto)
        if inlined := code.tls_inlined(file, functions):
            report.find("tls-initialiser-inlined", [f"__tls_guard is set in {some(inlined)}"])
    elif report.language == "C":
        if lto:
            report.find("c-under-lto", [describe(u) for u in units] or ["sections .gnu.lto_*"])
        elif found:
            report.note("C with unwind tables: told from C++ by its symbols alone, so do not strip them")
    if unnamed := without_symbol(file, found, functions):
        report.find("functions-without-symbols", [f"{len(unnamed)} of {len(found)} functions"])


def check_object_exceptions(file, report, found, functions, units, switches, lto):
    evidence = unit_evidence(units, lto) or without_exceptions(switches)
    if evidence and (found or lto):
        return report.find("no-exceptions", evidence)
    if evidence:
        return report.note("compiled with -fno-exceptions, without unwind tables: refused, as it should be")
    known = switches or (units and all("GNU " in u.producer and " -" in u.producer for u in units))
    if known or any(p.has_lsda for p in found) or not found:
        return None
    if suspects := code.destroy_without_table(file, functions, found):
        report.find("maybe-no-exceptions", [some(suspects)])
    return None


# Programs and shared objects


def linked_language(file, found):
    names = {p.personality for p in found}
    if CXX_PERSONALITY in names:
        return "C++"
    # Static and stripped: the personality has no name. The runtime's type information has.
    if "?" in names and b"N10__cxxabiv117__class_type_infoE" in file.bytes and not file.symbols:
        return "C++"
    return "C"


def check_linked(file, report, found, functions):
    report.kind = "executable" if file.is_program() else "shared object"
    report.language = linked_language(file, found)
    header = file.segment(e.PT_GNU_EH_FRAME)
    report.facts = {"stripped": "no" if file.symbols else "yes",
                    ".eh_frame_hdr": "yes" if header else "no",
                    "functions with unwind tables": len(found)}
    check_unwinder(file, report, found, header)
    debug, units = units_of(file, report)
    if report.language != "C++":
        cxx = any(code.is_mangled(s.name) for s in functions.symbols) or \
            any(u.language in dwarf.CXX_LANGUAGES for u in units)
        what = "C++ without a single exception table (-fno-exceptions?)" if cxx else "no C++ in it"
        report.note(f"{what}: all of the module counts as C, and nothing passes through it")
        return
    check_exceptions(file, report, units)
    check_c(report, debug, units, functions)
    check_symbols(file, report, found, functions)
    if inlined := code.tls_inlined(file, functions):
        report.find("tls-initialiser-inlined", [f"__tls_guard is set in {some(inlined)}"])
    note_plain_facts(file, report, found, functions)


def check_unwinder(file, report, found, header):
    if found and not header:
        report.find("no-eh-frame-hdr", [f"{len(found)} functions"])
    needed = file.dynamic_names(e.DT_NEEDED)
    own_name = (file.dynamic_names(e.DT_SONAME) or [""])[0]
    if own_name.startswith(("libgcc_s.", "libc.so.")) or not needed:
        return
    evidence = [f"needs {n}" for n in needed if n.startswith("libunwind")]
    if own_name.startswith("libunwind"):
        evidence.append(f"is {own_name}")
    static = [s.name for s in file.symbols + file.dynamic_symbols
              if s.name.split("@")[0] == "_Unwind_RaiseException" and s.section != e.SHN_UNDEF]
    imported = {s.name for s in file.dynamic_symbols if s.section == e.SHN_UNDEF}
    if static and not own_name.startswith("libunwind"):
        evidence.append("defines _Unwind_RaiseException (static libgcc_eh or LLVM libunwind)")
    elif report.language == "C++" and not file.symbols and CXX_PERSONALITY not in imported and \
            not any(n.startswith("_Unwind_") for n in imported) and not own_name.startswith("libunwind"):
        evidence.append("uses exceptions and imports no function _Unwind_*")
    if evidence:
        report.find("second-unwinder", evidence)


def check_exceptions(file, report, units):
    evidence = unit_evidence(units)
    if not units:
        evidence = without_exceptions(recorded_switches(file))
    if evidence:
        report.find("no-exceptions", evidence)
    elif file.symbols and not any("GNU " in u.producer for u in units) and not recorded_switches(file):
        report.note("the file does not record how its units were compiled: check the objects for "
                    "-fno-exceptions, or link with debug information of g++ or -grecord-command-line")


def check_c(report, debug, units, functions):
    c_units = [u for u in units if u.language in dwarf.C_LANGUAGES]
    lto = any("GIMPLE" in u.producer or " -flto" in u.producer for u in units) or \
        any(LTO_NAME.search(s.name) for s in functions.symbols)
    if not units:
        if lto:
            report.note("linked with link-time optimisation and without debug information: if there is C "
                        "among it, it cannot be told; check the objects")
        return
    if not c_units or not any(u.language in dwarf.CXX_LANGUAGES for u in units):
        return
    inlined = debug.c_inlined_into_cxx()
    if inlined is None and lto:
        report.find("c-under-lto", [describe(u) for u in c_units[:5]])
    elif inlined:
        report.find("c-under-lto", [f"{i.c_function} is inlined into {i.into}" for i in inlined[:5]])
    elif inlined is None:
        report.note("too much debug information to look for C that was inlined into C++")


def check_symbols(file, report, found, functions):
    if not file.symbols:
        report.find("stripped", [f"no .symtab; {len(found)} functions have unwind tables"])
    elif unnamed := without_symbol(file, found, functions):
        report.find("functions-without-symbols",
                    [f"{len(unnamed)} of {len(found)} functions, the first at {unnamed[0].begin:#x}"])


def note_plain_facts(file, report, found, functions):
    if not file.symbols:
        return
    names = {}
    for p in found:
        here = functions.at(p.section, p.begin)
        if here and all(code.is_c(s.name) for s in here) and here[0].name not in CRT:
            names[here[0].name] = True
    if names:
        report.note(f"not mangled, so they count as C, and nothing passes through them: {some(names)}")
    covered = {s.value for p in found for s in functions.at(p.section, p.begin)}
    bare = [s.name for s in functions.symbols
            if s.size and s.value not in covered and s.name not in CRT]
    if bare:
        report.note(f"without unwind tables, so nothing passes through them: {some(bare)}")
