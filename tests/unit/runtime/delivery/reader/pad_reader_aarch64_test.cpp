// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include <initializer_list>

#include "unit/runtime/delivery/reader/pad_reading.hpp"

using namespace memprof::delivery;
using memprof::test::ends;
using memprof::test::read;

#define RESUME "mov x0, x19\n bl _Unwind_Resume\n"
#define TERMINATE "bl _ZSt9terminatev\n"
#define BEGIN "bl __cxa_begin_catch\n"
#define END "bl __cxa_end_catch\n ret\n"
#define RETHROW "bl __cxa_rethrow\n"

// Landing pads as compilers write them.
PAD(pad_resume, "mov x19, x0\n" RESUME);
PAD(pad_swallow, BEGIN END);
PAD(pad_rethrow, BEGIN RETHROW);
PAD(pad_terminate, "mov x19, x0\n" TERMINATE);
PAD(pad_abort_or_resume, "mov x19, x0\n cbz x20, 1f\n" RESUME "1: bl abort\n");
PAD(pad_returns, "ret\n");
PAD(pad_runs_off, "mov x19, x0\n bl pads_look\n");
PAD(pad_traps, "brk #1\n");
PAD(pad_selector_2, "mov x19, x0\n cmp w1, #2\n b.eq 1f\n" RESUME "1: mov x0, x19\n" BEGIN END);
PAD(pad_selector_moved, "mov x20, x1\n mov x19, x0\n bl pads_look\n cmp x20, #2\n b.eq 1f\n" RESUME
                        "1: mov x0, x19\n" BEGIN END);
PAD(pad_selector_negative,
    "mov x19, x0\n cmn w1, #1\n b.eq 1f\n" RESUME "1: mov x0, x19\n" BEGIN END);
PAD(pad_selector_chain,
    "mov x19, x0\n cmp x1, #1\n b.eq 1f\n cmp x1, #2\n mov x0, x19\n b.ne 2f\n" BEGIN END
    "1: mov x0, x19\n" BEGIN RETHROW "2: " RESUME);
PAD(pad_selector_zero, "mov x19, x0\n sub w1, w1, #2\n cbz w1, 1f\n" RESUME "1: " BEGIN END);
PAD(pad_selector_bit, "mov x19, x0\n tbnz w1, #1, 1f\n" RESUME "1: " BEGIN END);
PAD(pad_selector_spilled,
    "str w1, [sp, #12]\n mov x19, x0\n ldr w1, [sp, #12]\n cmp w1, #2\n b.eq 1f\n" RESUME
    "1: mov x0, x19\n" BEGIN END);
PAD(pad_flags_lost,
    "mov x19, x0\n cmp w1, #2\n bl pads_look\n b.eq 1f\n" RESUME "1: mov x0, x19\n" BEGIN END);
PAD(pad_slot,
    "adrp x1, :got:__cxa_begin_catch\n ldr x1, [x1, :got_lo12:__cxa_begin_catch]\n blr x1\n" END);
PAD(pad_tail, BEGIN "b __cxa_end_catch\n");
PAD(pad_loop, "mov x19, x0\n 1: bl pads_look\n subs x20, x20, #1\n b.ne 1b\n" RESUME);
PAD(pad_endless, "1: b 1b\n");

// The address of a function that both sides of a branch left in a register, and one that they did
// not.
#define IN_X20(function) "adrp x20, " function "\n add x20, x20, :lo12:" function "\n"
PAD(throws, "stp x29, x30, [sp, #-16]!\n bl __cxa_throw\n");
PAD(pad_joined,
    BEGIN "cbz x21, 1f\n" IN_X20("throws") "b 2f\n 1: " IN_X20("throws") "2: blr x20\n");
PAD(pad_lost, BEGIN "cbz x21, 1f\n" IN_X20("throws") "b 2f\n 1: mov x20, x22\n 2: blr x20\n" END);

// Functions that are called. The second is as clang writes it: without unwind tables.
PAD(calls_terminate, "stp x29, x30, [sp, #-16]!\n bl __cxa_begin_catch\n" TERMINATE);
PAD(pad_call_terminate, "bl calls_terminate\n");
extern "C" void pads_look() {}
__asm__(
    ".text\n.type without_tables,%function\nwithout_tables:\n"
    "stp x29, x30, [sp, #-16]!\n bl __cxa_begin_catch\n" TERMINATE
    ".size without_tables,.-without_tables\n");
PAD(pad_without_tables, "bl without_tables\n mov x19, x0\n" RESUME);

TEST_CASE("pad reader: the plain ends") {
  CHECK(ends(pad_resume) == "a");
  CHECK(read(pad_resume, 0).last == 4 + 4 + 4 - 1);  // inside the call
  CHECK(ends(pad_swallow, 1) == "s");
  CHECK(ends(pad_rethrow, 1) == "a");
  CHECK(ends(pad_terminate) == "x");
  CHECK(ends(pad_abort_or_resume) == "ae");
  CHECK(ends(pad_slot, 1) == "s");
  CHECK(ends(pad_tail, 1) == "s");
  CHECK(ends(pad_traps) == "e");
}

TEST_CASE("pad reader: what is not understood") {
  CHECK(ends(pad_returns) == "u");
  CHECK(ends(pad_runs_off) == "u");
  CHECK(ends(pad_endless).empty());
}

TEST_CASE("pad reader: the handler that the selector chooses") {
  CHECK(ends(pad_selector_2, 2) == "s");
  CHECK(ends(pad_selector_2, 3) == "a");
  CHECK(ends(pad_selector_2, 0) == "a");
  CHECK(ends(pad_selector_2, 0, false) == "as");
  CHECK(ends(pad_selector_moved, 2) == "s");
  CHECK(ends(pad_selector_moved, 1) == "a");
  CHECK(ends(pad_selector_negative, -1) == "s");
  CHECK(ends(pad_selector_negative, 1) == "a");
  CHECK(read(pad_selector_chain, 1).last != read(pad_selector_chain, 3).last);
  CHECK(ends(pad_selector_chain, 1) == "a");  // the rethrow
  CHECK(ends(pad_selector_chain, 2) == "s");
  CHECK(ends(pad_selector_chain, 3) == "a");  // the resume
  CHECK(ends(pad_selector_zero, 2) == "s");
  CHECK(ends(pad_selector_zero, 1) == "a");
  CHECK(ends(pad_selector_bit, 2) == "s");
  CHECK(ends(pad_selector_bit, 1) == "a");
}

TEST_CASE("pad reader: where the selector is lost any handler counts, but none for selector 0") {
  CHECK(ends(pad_selector_spilled, 2) == "as");
  CHECK(ends(pad_selector_spilled, 3) == "as");
  CHECK(ends(pad_selector_spilled, 0) == "a");
  CHECK(ends(pad_flags_lost, 2) == "as");
}

TEST_CASE("pad reader: loops end") { CHECK(ends(pad_loop) == "a"); }

TEST_CASE("pad reader: where paths meet, what both know is known") {
  CHECK(ends(pad_joined, 1) == "n");
  CHECK(ends(pad_lost, 1) == "ns");  // what one path led to stays found
}

TEST_CASE("pad reader: functions that are called, with unwind tables or without") {
  CHECK(ends(pad_call_terminate, 1) == "x");
  CHECK(ends(pad_without_tables) == "x");
}

#endif
