# SPDX-License-Identifier: MIT
"""paths.py and check_paths.py on code made up for it: what must be found is found."""

import unittest

import aarch64
import check_paths
from disassembly import Instruction
from paths import Cost, fast_paths


class Code:
    """Instructions of which each takes one address; "name:" begins a function."""

    def __init__(self, text, registers=None):
        self.registers = registers
        self.at, self.following, self.entries, name = {}, {}, {}, None
        for line in text.strip().splitlines():
            address = len(self.at)
            if line.strip().endswith(":"):
                name = line.strip()[:-1]
                self.entries[name] = address
            else:
                self.at[address] = (line.strip(), name)
                self.following[address] = address + 1

    def instruction(self, address, registers=None):
        text, function = self.at[address]
        if registers is not None:
            return aarch64.Instruction(address, text, function, registers)
        return Instruction(address, text, function)


MALLOC = """
malloc:
lea 0xf(%rdi),%rdx
{extra}
sub %rdx,%fs:(%rcx)
js 6 <malloc_slow>
mov 0x8(%rip),%rax # 3fd8 <memprof::override::next_malloc>
jmp *(%rax)
malloc_slow:
call 99 <charge>
jmp *(%rax)
ret
"""


def malloc_with(extra):
    return fast_paths(Code(MALLOC.format(extra=extra)), "malloc", True)


ARM_MALLOC = """
malloc:
movz x2, #0x0, lsl #16
mrs x3, tpidr_el0
ldr x4, [x3, x2]
sub x1, x4, x1, lsr #3
{extra}
str x1, [x3, x2]
tbnz x1, #63, 11 <malloc+0x2c>
adrp x1, 1f000 <memprof::override::next_malloc>
ldr x1, [x1, #{entry}]
mov x16, x1
br x16
b 12 <malloc [clone .cold]>
malloc [clone .cold]:
bl 99 <charge>
ret
"""


def arm_malloc_with(extra, entry="0x10"):
    registers = aarch64.Registers(range(0x1f008, 0x1f048))
    return fast_paths(Code(ARM_MALLOC.format(extra=extra, entry=entry), registers), "malloc", True)


class Aarch64(unittest.TestCase):
    def test_only_the_table_leads_to_the_real_allocator(self):
        self.assertEqual(arm_malloc_with("nop"), [Cost(10, 1, 0, 0, 0)])
        self.assertEqual(arm_malloc_with("nop", "0x0"), [])
        self.assertEqual(arm_malloc_with("nop", "0x48"), [])
        self.assertEqual(arm_malloc_with("ldr x16, [x1]"), [Cost(11, 1, 0, 0, 0)])

    def test_a_call_is_no_fast_path(self):
        self.assertEqual(arm_malloc_with("bl 99 <__aarch64_ldadd8_acq_rel>"), [])
        self.assertEqual(arm_malloc_with("blr x9"), [])

    def test_writes_are_told_apart(self):
        self.assertEqual(arm_malloc_with("str x1, [x5, #8]"), [Cost(11, 1, 0, 1, 0)])
        self.assertEqual(arm_malloc_with("stlr x1, [x5]"), [Cost(11, 1, 0, 1, 0)])
        self.assertEqual(arm_malloc_with("stp x29, x30, [sp, #-32]!"), [Cost(11, 1, 1, 0, 0)])
        self.assertEqual(arm_malloc_with("add x3, x3, #0x10, lsl #12"), [Cost(11, 1, 0, 0, 0)])
        self.assertEqual(arm_malloc_with("ldr x3, [x9]"), [])  # no longer the thread's own memory

    def test_atomics_are_locks(self):
        for atomic in ("ldadd x1, x2, [x5]", "casal x1, x2, [x5]", "stlxr w9, x1, [x5]",
                       "swpal x1, x9, [x5]"):
            self.assertEqual(arm_malloc_with(atomic), [Cost(11, 1, 0, 1, 1)], atomic)
        for barrier in ("dmb ish",):
            self.assertEqual(arm_malloc_with(barrier), [Cost(11, 1, 0, 0, 1)], barrier)
        self.assertEqual(arm_malloc_with("ldaxr x9, [x5]")[0].locks, 1)
        self.assertEqual(arm_malloc_with("ldar x9, [x5]"), [Cost(11, 1, 0, 0, 0)])
        self.assertEqual(arm_malloc_with("ldp x9, x10, [x5], #16"), [Cost(11, 1, 0, 0, 0)])

    def test_both_registers_of_a_pair_are_forgotten(self):
        self.assertEqual(arm_malloc_with("ldp x9, x3, [x5]"), [])


class Paths(unittest.TestCase):
    def test_padding_is_not_counted(self):
        self.assertEqual(malloc_with("nopw 0x0(%rax,%rax,1)"), [Cost(5, 1, 0, 0, 0)])

    def test_an_instruction_more_is_counted(self):
        self.assertEqual(malloc_with("shr $0x3,%rdx"), [Cost(6, 1, 0, 0, 0)])

    def test_writes_and_locks_are_told_apart(self):
        self.assertEqual(malloc_with("lock incq 0x10(%rip) # 10 <x>"), [Cost(6, 1, 0, 1, 1)])
        self.assertEqual(malloc_with("mov %rdx,(%rsi)"), [Cost(6, 1, 0, 1, 0)])
        self.assertEqual(malloc_with("xchg %rax,(%rsi)"), [Cost(6, 1, 0, 1, 1)])
        self.assertEqual(malloc_with("cs push %rbx"), [Cost(6, 1, 1, 0, 0)])
        self.assertEqual(malloc_with("mov %rdx,%fs:0xfffffffffffffff8"), [Cost(6, 2, 0, 0, 0)])
        self.assertEqual(malloc_with("cmpb $0x0,(%rdx)"), [Cost(6, 1, 0, 0, 0)])

    def test_a_call_of_another_function_is_no_fast_path(self):
        self.assertEqual(malloc_with("call 99 <lock>"), [])
        self.assertEqual(malloc_with("call *0x8(%rip) # 3fd8 <pthread_mutex_lock@GLIBC_2.2.5>"), [])

    def test_a_way_that_does_not_count_is_no_fast_path_of_an_allocation(self):
        code = Code("free:\ntest $0xfff,%edi\nje 3 <free_slow>\njmp *(%rax)\nfree_slow:\nret")
        self.assertEqual(fast_paths(code, "free", False), [Cost(3, 0, 0, 0, 0)])
        self.assertEqual(fast_paths(code, "free", True), [])

    def test_a_call_goes_on_to_the_return(self):
        code = Code("new:\npush %rbx\nsub %rdx,%fs:(%rcx)\ncall *(%rax)\ntest %rax,%rax\n"
                    "je 7 <new [clone .cold]>\npop %rbx\nret\nnew [clone .cold]:\nret")
        self.assertEqual(fast_paths(code, "new", True), [Cost(7, 1, 2, 0, 0)])

    def test_differences_are_said(self):
        self.assertIn("instructions 7 -> 8: LONGER",
                      check_paths.difference([tuple("71000")], [tuple("81000")]))
        self.assertEqual("instructions 8 -> 7",
                         check_paths.difference([tuple("81000")], [tuple("71000")]))
        self.assertIn("1 fast paths in the golden file, 2",
                      check_paths.difference([tuple("71000")], [tuple("71000"), tuple("91000")]))


if __name__ == "__main__":
    unittest.main()
