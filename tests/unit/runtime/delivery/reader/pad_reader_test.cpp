// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include <initializer_list>

#include "support/sanitized.hpp"
#include "unit/runtime/delivery/reader/pad_reading.hpp"

using namespace memprof::delivery;
using memprof::test::ends;
using memprof::test::read;

// Landing pads as compilers write them, and some as they do not.
#define RESUME "mov %rbx,%rdi\n call _Unwind_Resume@PLT\n"
#define TERMINATE "call _ZSt9terminatev@PLT\n"
#define BEGIN "mov %rax,%rdi\n call __cxa_begin_catch@PLT\n"
#define END "call __cxa_end_catch@PLT\n ret\n"
#define RETHROW "call __cxa_rethrow@PLT\n"

PAD(pad_resume, "mov %rax,%rbx\n" RESUME);
PAD(pad_swallow, BEGIN END);
PAD(pad_rethrow, BEGIN RETHROW);
PAD(pad_terminate, "mov %rax,%rbx\n" TERMINATE);
PAD(pad_abort, "call abort@PLT\n");
PAD(pad_abort_or_resume, "mov %rax,%rbx\n test %r12,%r12\n je 1f\n" RESUME "1: call abort@PLT\n");
PAD(pad_returns, "ret\n");
PAD(pad_runs_off, "mov %rax,%rbx\n call pads_look@PLT\n");
PAD(pad_undefined, "mov %rax,%rbx\n .byte 0x06\n");
PAD(pad_stack_check, "mov %rax,%rbx\n mov %fs:0x28,%rdx\n cmp 8(%rsp),%rdx\n jne 1f\n" RESUME
                     "1: call __stack_chk_fail@PLT\n");

// The handler of selector 2 swallows, any other resumes; as g++ and clang without optimisation,
// with the selector spilled across a call.
PAD(pad_selector_2, "mov %rax,%rbx\n cmp $2,%rdx\n je 1f\n" RESUME "1: mov %rbx,%rax\n" BEGIN END);
PAD(pad_spilled,
    "mov %rax,-0x20(%rbp)\n mov %edx,%eax\n mov %eax,-0x24(%rbp)\n"
    "lea -0x30(%rbp),%rdi\n call pads_look@PLT\n"
    "mov -0x24(%rbp),%eax\n mov $2,%ecx\n cmp %ecx,%eax\n jne 2f\n"
    "mov -0x20(%rbp),%rdi\n call __cxa_begin_catch@PLT\n" END
    "2: mov -0x20(%rbp),%rdi\n call _Unwind_Resume@PLT\n");
PAD(pad_callee_saved,
    "mov %rax,%rbx\n mov %edx,%r13d\n call pads_look@PLT\n sub $2,%r13d\n je 1f\n" RESUME
    "1: mov %rbx,%rax\n" BEGIN END);
PAD(pad_lost_register, "mov %rax,%rbx\n call pads_look@PLT\n cmp $2,%rdx\n je 1f\n" RESUME
                       "1: mov %rbx,%rax\n" BEGIN END);
PAD(pad_overwritten,
    "mov %rax,%rbx\n mov %edx,8(%rsp)\n mov %ecx,10(%rsp)\n cmpl $2,8(%rsp)\n je 1f\n" RESUME
    "1: mov %rbx,%rax\n" BEGIN END);
// The specification is violated if the selector is -1.
PAD(pad_negative, "mov %rax,%rbx\n cmp $-1,%rdx\n je 1f\n" RESUME
                  "1: mov %rbx,%rdi\n"
                  "call __cxa_call_unexpected@PLT\n");
PAD(pad_table,
    "mov %rax,%rbx\n cmp $2,%rdx\n ja 3f\n lea 4f(%rip),%rcx\n movslq (%rcx,%rdx,4),%rax\n"
    "add %rcx,%rax\n notrack jmp *%rax\n"
    "1: mov %rbx,%rax\n" BEGIN END "2: " TERMINATE "3: " RESUME
    ".section .rodata\n .p2align 2\n 4: .long 3b-4b,2b-4b,1b-4b\n .text\n");

// A variable that a call may change, and one that it may not.
PAD(pad_variable,
    "mov %rax,%rdi\n call __cxa_begin_catch@PLT\n movl $0,8(%rsp)\n lea 8(%rsp),%rdi\n"
    "call pads_look@PLT\n cmpl $0,8(%rsp)\n jne 1f\n" END "1: " RETHROW);
PAD(pad_constant,
    "mov %rax,%rdi\n call __cxa_begin_catch@PLT\n movl $0,8(%rsp)\n cmpl $0,8(%rsp)\n"
    "jne 1f\n" END "1: " RETHROW);

// Loops, of which one never ends.
PAD(pad_loop,
    "mov %rax,%rbx\n 1: mov %rbp,%rdi\n call pads_look@PLT\n sub $8,%rbp\n cmp %r12,%rbp\n jne "
    "1b\n" RESUME);
PAD(pad_endless, "mov %rax,%rbx\n 1: jmp 1b\n");

// Calls that end in no way of their own.
PAD(calls_terminate, "push %rax\n call __cxa_begin_catch@PLT\n " TERMINATE);
PAD(pad_call_terminate, "mov %rax,%rdi\n call calls_terminate\n");
PAD(inner_2, "test %rdi,%rdi\n jne 1f\n ret\n 1: sub $8,%rsp\n" TERMINATE);
PAD(inner_1, "sub $8,%rsp\n call inner_2\n add $8,%rsp\n ret\n");
PAD(pad_deep_terminate, "mov %rax,%rbx\n mov %r12,%rdi\n call inner_1\n" RESUME);
PAD(inner_0, "sub $8,%rsp\n call inner_1\n add $8,%rsp\n ret\n");
PAD(outer_1, "sub $8,%rsp\n call inner_0\n add $8,%rsp\n ret\n");
PAD(pad_deeper_terminate, "mov %rax,%rbx\n call outer_1\n" RESUME);
PAD(pad_deeper_in_handler, BEGIN "call outer_1\n" END);
PAD(throws, "sub $8,%rsp\n call __cxa_throw@PLT\n");
PAD(pad_calls_throwing, BEGIN "call throws\n");
PAD(lets_out, "sub $8,%rsp\n call __cxa_rethrow@PLT\n");
PAD(pad_calls_rethrowing, BEGIN "call lets_out\n");
PAD(pad_slot,
    "mov %rax,%rdi\n call *__cxa_begin_catch@GOTPCREL(%rip)\n"
    "mov __cxa_end_catch@GOTPCREL(%rip),%rax\n call *%rax\n ret\n");
PAD(pad_tail, "mov %rax,%rdi\n call __cxa_begin_catch@PLT\n jmp __cxa_end_catch@PLT\n");
PAD(pad_outer_handler, "mov %rax,%rbx\n call __cxa_end_catch@PLT\n" RESUME);
// A function elsewhere that never returns, and behind the call the code of another pad.
PAD(pad_behind_a_call, BEGIN "call pads_look@PLT\n" RESUME);

extern "C" void pads_look() {}

TEST_CASE("pad reader: the plain ends") {
  CHECK(ends(pad_resume) == "a");
  CHECK(read(pad_resume, 0).last == 3 + 3 + 5 - 1);  // inside the call
  CHECK(ends(pad_swallow, 1) == "s");
  CHECK(ends(pad_rethrow, 1) == "a");
  CHECK(ends(pad_terminate) == "x");
#if !MEMPROF_THREAD_SANITIZED  // whose abort is another function
  CHECK(ends(pad_abort) == "e");
  CHECK(ends(pad_abort_or_resume) == "ae");
#endif
  CHECK(ends(pad_stack_check) == "a");
  CHECK(ends(pad_outer_handler) == "a");
  CHECK(ends(pad_slot, 1) == "s");
  CHECK(ends(pad_tail, 1) == "s");
}

TEST_CASE("pad reader: what is not understood") {
  CHECK(ends(pad_returns) == "u");
  CHECK(ends(pad_runs_off) == "u");
  CHECK(ends(pad_undefined) == "u");
  CHECK(ends(pad_behind_a_call, 1) == "u");
  CHECK(ends(pad_endless).empty());
}

TEST_CASE("pad reader: the selector decides, through registers and stack") {
  for (auto* pad : {pad_selector_2, pad_spilled, pad_callee_saved, pad_table}) {
    CHECK(ends(pad, 2) == "s");
    CHECK(ends(pad, 0) == "a");
    CHECK(ends(pad, 3) == "a");
  }
  CHECK(ends(pad_table, 1) == "x");
  CHECK(ends(pad_negative, -1) == "x");
  CHECK(ends(pad_negative, 0) == "a");
  CHECK(ends(pad_selector_2, 0, false) == "as");
  CHECK(ends(pad_lost_register, 2) == "as");
  CHECK(ends(pad_overwritten, 2) == "as");
  CHECK(ends(pad_table, 0, false) == "u");
}

TEST_CASE("pad reader: variables whose address is known elsewhere are forgotten") {
  CHECK(ends(pad_constant, 1) == "s");
  CHECK(ends(pad_variable, 1) == "as");
}

TEST_CASE("pad reader: loops end") { CHECK(ends(pad_loop) == "a"); }

TEST_CASE("pad reader: functions that are called") {
  CHECK(ends(pad_call_terminate, 1) == "x");
  CHECK(ends(pad_deep_terminate) == "ax");
  CHECK(ends(pad_deeper_terminate) == "ax");
  CHECK(ends(pad_deeper_in_handler, 1) == "s");  // four deep: not read
#if !MEMPROF_CLANG_ADDRESS_SANITIZED
  CHECK(ends(pad_calls_throwing, 1) == "n");
#endif
  CHECK(ends(pad_calls_rethrowing, 1) == "a");
}

#endif
