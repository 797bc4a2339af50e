# SPDX-License-Identifier: MIT
"""What the code of an x86-64 file shows: inlined thread_local initialisers, objects destroyed without an
exception table; and what names of functions mean (as src/runtime/delivery/decide/symbol_names.cpp has it)."""

import bisect
import re
import struct

from . import elf as e

MADE_BY_COMPILER = re.compile(
    r"(main|__clang_call_terminate)($|[.@])|_GLOBAL__|_sub_[ID]_|__cxx_global_")
TLS_INITIALISER = re.compile(r"__tls_init($|\.)|_ZT[HW]")
DESTRUCTOR = re.compile(r"_ZN.*D[0-5]Ev")
# Operator delete, the runtime, and what ends the program: no exception comes out.
NEVER_THROWS = re.compile(r"_Zd[la]|__cxa_(begin|end)_catch|__cxa_(atexit|guard|thread_atexit)|_ZSt9terminatev|"
                          r"abort$|exit$|free$|mem(cpy|set|move|cmp)$|str(len|cmp)$|__stack_chk_fail|__tls_get_addr")


def is_mangled(name):
    return name.startswith("_Z")


def is_c(name):
    return not is_mangled(name) and not MADE_BY_COMPILER.match(name) and not TLS_INITIALISER.match(name)


class Functions:
    """The function symbols of a file that lie in code, by place: (section in an object, or None; address)."""

    def __init__(self, file):
        code = {s.index for s in file.sections if s.flags & e.SHF_EXECINSTR}
        relocatable = file.type == e.ET_REL
        self.symbols = sorted(
            (s for s in file.symbols
             if s.section in code and (s.type in (e.STT_FUNC, e.STT_GNU_IFUNC)
                                       or s.type == e.STT_NOTYPE and s.binding != 0)),
            key=lambda s: (s.section if relocatable else 0, s.value, s.size))
        self.relocatable = relocatable
        self.places = [self.place(s) for s in self.symbols]

    def place(self, symbol):
        return (symbol.section if self.relocatable else 0, symbol.value)

    def at(self, section, address):
        """The symbols that cover a place (several names of one function)."""
        place = (section if self.relocatable else 0, address)
        index = bisect.bisect_right(self.places, place) - 1
        found = []
        while index >= 0 and len(found) < 8 and self.places[index][0] == place[0]:
            s = self.symbols[index]
            if s.value <= address < s.value + max(s.size, 1) or s.value == address:
                found.append(s)
            elif found or s.size:
                break
            else:  # assembly without a size, up to here
                found.append(s)
                break
            index -= 1
        return found

    def overlap(self, procedure):
        """Does a symbol cover the beginning of the procedure, or lie in it? (Assembly of libc has tables
        that begin a byte before.)"""
        if self.at(procedure.section, procedure.begin):
            return True
        section = procedure.section if self.relocatable else 0
        index = bisect.bisect_left(self.places, (section, procedure.begin))
        return self.places[index:index + 1] < [(section, procedure.begin + procedure.size)] and \
            index < len(self.places)


def calls(file, functions):
    """{function name: [called name, in order]} of a relocatable object, from its relocations."""
    result = {}
    for section in file.sections:
        if not section.flags & e.SHF_EXECINSTR:
            continue
        code = file.contents(section)
        for offset, r in sorted(file.relocations(section).items()):
            # R_X86_64_PLT32, PC32, GOTPCREL, GOTPCRELX: call or jmp rel32, call or jmp *x(%rip)
            call = code[offset - 1:offset] in (b"\xe8", b"\xe9") or code[offset - 2:offset] in (
                b"\xff\x15", b"\xff\x25")
            if r.type in (2, 4, 9, 41) and call and r.symbol.name:
                for caller in functions.at(section.index, offset)[:1]:
                    result.setdefault(caller.name, []).append(r.symbol.name)
    return result


def destroy_without_table(file, functions, procedures):
    """Functions without an exception table that destroy something after a call that may throw."""
    with_table = {s.name for p in procedures if p.has_lsda for s in functions.at(p.section, p.begin)}
    found = []
    for caller, called in calls(file, functions).items():
        if caller in with_table or not is_mangled(caller) or DESTRUCTOR.match(caller):
            continue
        may_throw = False
        for name in called:
            if DESTRUCTOR.match(name):
                if may_throw:
                    found.append(caller)
                    break
            elif not NEVER_THROWS.match(name):
                # The first call may be what constructs the object.
                may_throw = True
    return sorted(found)


def tls_inlined(file, functions):
    """Functions that set __tls_guard though they are no thread_local initialisers."""
    if file.machine != e.EM_X86_64:
        return []
    places = _guards_set_in_object(file) if file.type == e.ET_REL else _guards_set_in_image(file)
    found = set()
    for section, address in places:
        names = [s.name for s in functions.at(section, address)]
        if names and not any(TLS_INITIALISER.match(n) for n in names):
            found.add(names[0])
    return sorted(found)


def _guards_set_in_object(file):
    for section in file.sections:
        if not section.flags & e.SHF_EXECINSTR:
            continue
        code = file.contents(section)
        for offset, r in file.relocations(section).items():
            # movb $1, disp32: opcode c6, a byte of addressing or two, the displacement, the 1
            sets = 0xC6 in code[offset - 3:offset - 1] and code[offset + 4:offset + 5] == b"\1"
            if r.symbol.name == "__tls_guard" and sets:
                yield section.index, offset


def _guards_set_in_image(file):
    segment = file.segment(e.PT_TLS)
    guards = {s.value for s in file.symbols if s.type == e.STT_TLS and s.name == "__tls_guard"}
    if segment is None or not guards:
        return
    alignment = max(segment.alignment, 1)
    block = (segment.memory_size + alignment - 1) // alignment * alignment
    patterns = []
    for value in guards:
        # movb $1, %fs:x in programs; movb $1, x(%reg) after __tls_get_addr or %fs:0, with four bytes
        # for x although one would do, since the linker filled it in
        from_end, from_begin = (re.escape(struct.pack("<i", v)) for v in (value - block, value))
        patterns.append(b"\x64\xc6\x04\x25" + from_end + b"\x01")
        patterns.append(b"\xc6[\x80-\x83\x85-\x87](" + from_end + b"|" + from_begin + b")\x01")
    pattern = re.compile(b"|".join(patterns), re.DOTALL)
    for section in file.sections:
        if section.flags & e.SHF_EXECINSTR and section.type != e.SHT_NOBITS:
            for match in pattern.finditer(file.contents(section)):
                yield None, section.address + match.start()
