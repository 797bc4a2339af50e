# SPDX-License-Identifier: MIT
"""What one of AArch64's instructions does, as objdump shows it: the interface of disassembly.Instruction.

An address takes several instructions here, so a way through the code carries along what its registers
hold (`Registers`): without that a write to the thread's own memory looks like any other, and a call
through the table of real functions like one through the global offset table.
"""

import re

ATOMIC = re.compile(r"(ld|st)a?l?xp?r?[bh]?|casp?\w*|swp\w*|dmb|dsb"
                    r"|(ld|st)(add|clr|set|eor|[us]max|[us]min)\w*")
# These have no result in their first operand.
NO_RESULT = re.compile(r"cmp|cmn|tst|ccmp|ccmn|nop|hint|prfm|dmb|dsb|bti|paci\w+|auti\w+|b(\..*)?|br"
                       r"|cbn?z|tbn?z|ret\w*")
CONDITIONAL = re.compile(r"b\..+|cbn?z|tbn?z")
REGISTER = re.compile(r"[xw](\d+|zr)|sp")


def number(text):
    """"#0x18", "#-16"."""
    return int(text.lstrip("#"), 0)


class Registers:
    """What is known of them: "thread" (an address derived from the thread pointer), an int (an address in
    the module), "real" (an entry of the table of real functions). A register it does not name: nothing."""

    def __init__(self, table=range(0), known=None):
        self.table, self.known = table, known or {}

    def of(self, name):
        return self.known.get(name.replace("w", "x"))

    def after(self, step):
        """These, when `step` has been executed."""
        known = dict(self.known)
        results = step.results()
        value = self.result(step)
        for name in results:
            known.pop(name, None)
        if value is not None:
            known[results[0]] = value
        return Registers(self.table, known)

    def result(self, step):
        sources = step.split[1:]
        if step.name == "mrs" and sources == ["tpidr_el0"]:
            return "thread"
        if step.name in {"adr", "adrp"}:
            return int(sources[0].split()[0], 16)
        if step.name == "mov":
            return self.of(sources[0])
        if step.name == "add":
            base = self.of(sources[0])
            if base == "thread" or self.of(sources[1]) == "thread":
                return "thread"
            if isinstance(base, int) and len(sources) == 2 and sources[1].startswith("#"):
                return base + number(sources[1])
        if step.name == "ldr" and (memory := re.fullmatch(r"\[(\w+)(?:, (#\w+))?\]", sources[0])):
            base = self.of(memory.group(1))
            if isinstance(base, int) and base + number(memory.group(2) or "#0") in self.table:
                return "real"
        return None


class Instruction:
    """One instruction. `locked`: atomic or exclusive, or a barrier."""

    def __init__(self, address, text, function, registers):
        self.address, self.function, self.registers = address, function, registers
        words = text.partition("//")[0].split(None, 1)
        self.name = words[0]
        operands = words[1].strip() if len(words) > 1 else ""
        self.split = [o.strip() for o in re.split(r",(?![^\[{]*[\]}])", operands)]
        self.locked = ATOMIC.fullmatch(self.name) is not None
        direct = re.match(r"([0-9a-f]+) <", self.split[-1])
        jumps = self.name in {"b", "bl"} or self.is_branch()
        self.target = int(direct.group(1), 16) if direct and jumps else None

    def is_padding(self):
        return self.name == "nop"

    def is_jump(self):
        return self.name in {"b", "br"}

    def is_branch(self):
        return CONDITIONAL.fullmatch(self.name) is not None

    def is_call(self):
        return self.name in {"bl", "blr"}

    def is_return(self):
        return self.name in {"ret", "retaa", "retab"}

    def is_real(self):
        """A jump or call through the table of real functions."""
        return self.name in {"br", "blr"} and self.registers.of(self.split[0]) == "real"

    def is_store(self):
        return self.name.startswith("st")

    def results(self):
        """The registers that it changes."""
        if self.is_call():
            return [f"x{i}" for i in range(19)] + ["x30"]
        changed = []
        if not NO_RESULT.fullmatch(self.name):
            operands = self.split[:2] if self.name.startswith("ldp") else self.split[:1]
            if not self.is_store() or self.locked:
                changed = [o.replace("w", "x") for o in operands if REGISTER.fullmatch(o)]
        # [x1, #16]! and [x1], #16 change x1.
        for place, operand in enumerate(self.split):
            if operand.startswith("[") and (operand.endswith("!") or place + 1 < len(self.split)):
                changed.append(re.match(r"\[(\w+)", operand).group(1))
        return changed

    def written(self):
        """Which memory it writes: "thread", "stack", "shared" or None."""
        if not (self.is_store() or (self.locked and self.name not in {"dmb", "dsb"})):
            return None
        names = re.findall(r"\b(?:x\d+|w\d+|sp)\b", next((o for o in self.split if o.startswith("[")), ""))
        if names and names[0] in {"sp", "x29"}:
            return "stack"
        return "thread" if any(self.registers.of(name) == "thread" for name in names) else "shared"
