# SPDX-License-Identifier: MIT
"""paths.py and check_paths.py on code made up for it: what must be found is found."""

import unittest

import check_paths
from disassembly import Instruction
from paths import Cost, fast_paths


class Code:
    """Instructions of which each takes one address; "name:" begins a function."""

    def __init__(self, text):
        self.at, self.following, self.entries, name = {}, {}, {}, None
        for line in text.strip().splitlines():
            address = len(self.at)
            if line.strip().endswith(":"):
                name = line.strip()[:-1]
                self.entries[name] = address
            else:
                self.at[address] = (line.strip(), name)
                self.following[address] = address + 1

    def instruction(self, address):
        text, function = self.at[address]
        return Instruction(address, text, function)


MALLOC = """
malloc:
lea 0xf(%rdi),%rdx
{extra}
sub %rdx,%fs:(%rcx)
js 6 <malloc_slow>
mov 0x8(%rip),%rax # 3fd8 <memprof::override::real>
jmp *(%rax)
malloc_slow:
call 99 <charge>
jmp *(%rax)
ret
"""


def malloc_with(extra):
    return fast_paths(Code(MALLOC.format(extra=extra)), "malloc", True)


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
