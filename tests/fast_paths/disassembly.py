# SPDX-License-Identifier: MIT
"""A module's instructions as objdump shows them, and what one of them does on x86-64 (AT&T syntax)."""

import re
import subprocess

import aarch64

# "  1a2b:\tmov    0x8(%rdi),%rax        # 3fd8 <name+0x8>", "0000000000001a2b <name>:"
LINE = re.compile(r"^\s*([0-9a-f]+):\t(.*)$")
FUNCTION = re.compile(r"^([0-9a-f]+) <(.*)>:$")
# "000000000001f0a8 l     O .data	0000000000000040              .hidden memprof::override::next_malloc"
TABLE = re.compile(r"^([0-9a-f]+) .*\t([0-9a-f]+) .*\bmemprof::override::next_malloc$", re.MULTILINE)
# "00000000000071c0  w    F .text	000000000000003c              operator delete(void*)"
SYMBOL = re.compile(r"^([0-9a-f]+) .{6}F .*\t[0-9a-f]+ +(?:\.hidden )?(.*)$")
PREFIXES = {"cs", "ds", "es", "ss", "data16", "addr32", "notrack", "bnd", "rep", "repz", "repnz"}
# These have an operand in memory last and only read it.
READERS = re.compile(r"(cmp|test|ucomi|comi|bt)[bwlqsd]*|nop[wl]?|prefetch\w*|lea[lq]?|i?mul[bwlq]?"
                     r"|i?div[bwlq]?")


class Instruction:
    """One instruction. `name`: without prefixes. `operands`: as text. `target`: where a direct jump or
    call goes, else None. `note`: what objdump says a %rip-relative operand is."""

    def __init__(self, address, text, function):
        self.address, self.function = address, function
        text, _, note = text.partition("#")
        self.note = note.strip()
        words = text.split(None, 1)
        self.locked = False
        while words and (words[0] in PREFIXES or words[0] == "lock" or words[0].startswith("rex")):
            self.locked |= words[0] == "lock"
            words = words[1].split(None, 1) if len(words) > 1 else ["nop"]
        self.name = words[0].split(",")[0]  # "js,pn" has a hint
        self.operands = words[1].strip() if len(words) > 1 else ""
        self.locked |= self.name.startswith("xchg") and "(" in self.operands
        direct = re.match(r"([0-9a-f]+) <", self.operands)
        self.target = int(direct.group(1), 16) if direct else None

    def is_padding(self):
        """The assembler pads with these, more or fewer of them by where the function lies."""
        return self.name.startswith("nop") or (self.name == "xchg" and self.operands == "%ax,%ax")

    def is_jump(self):
        return self.name in {"jmp", "jmpq"}

    def is_branch(self):
        return self.name.startswith("j") and not self.is_jump()

    def is_call(self):
        return self.name in {"call", "callq"}

    def is_return(self):
        return self.name in {"ret", "retq"}

    def is_real(self):
        """A jump or call through the table of real functions: through a pointer that is no entry of the
        global offset table (these have a name as note)."""
        if not self.operands.startswith("*"):
            return False
        return "(%rip)" not in self.operands or "memprof::override::next_malloc" in self.note

    def written(self):
        """Which memory it writes: "thread", "stack", "shared" or None."""
        if self.name.startswith("push") or self.is_call():
            return "stack"
        last = re.split(r",(?![^(]*\))", self.operands)[-1]
        if self.name.startswith("xchg") and "(" in self.operands:
            last = next(o for o in re.split(r",(?![^(]*\))", self.operands) if "(" in o)
        if "(" not in last and "%fs:" not in last:
            return None
        if READERS.fullmatch(self.name) or self.is_jump() or self.is_branch():
            return None
        if "%fs:" in last:
            return "thread"
        return "stack" if re.search(r"\(%r[sb]p", last) else "shared"


class Disassembly:
    """All of a module: `at` by address, `entries` by (demangled) name of a function."""

    def __init__(self, path, processor="x86_64", objdump="objdump"):
        self.at, self.following, self.entries = {}, {}, {}
        self.registers = None
        if processor == "aarch64":
            found = TABLE.search(self.output(objdump, "-t", path))
            start = int(found.group(1), 16) if found else 0
            self.registers = aarch64.Registers(range(start, start + int(found.group(2), 16) if found else 0))
        # Other names of a function may come before the one that programs call.
        for line in self.output(objdump, "-t", path).splitlines():
            if found := SYMBOL.match(line):
                self.entries.setdefault(found.group(2), int(found.group(1), 16))
        function, previous = None, None
        for line in self.output(objdump, "-d", path).splitlines():
            if found := FUNCTION.match(line):
                function = found.group(2)
                self.entries.setdefault(function, int(found.group(1), 16))
            elif found := LINE.match(line):
                address = int(found.group(1), 16)
                if previous is not None:
                    self.following[previous] = address
                self.at[address] = (found.group(2), function)
                previous = address

    @staticmethod
    def output(objdump, what, path):
        return subprocess.run([objdump, what, "-C", "--no-show-raw-insn", str(path)], check=True,
                              capture_output=True, text=True).stdout

    def instruction(self, address, registers=None):
        """`registers`: what they hold on the way that leads there, where this processor's code needs it."""
        text, function = self.at[address]
        if registers is not None:
            return aarch64.Instruction(address, text, function, registers)
        return Instruction(address, text, function)
