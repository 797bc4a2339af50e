// SPDX-License-Identifier: MIT
//
// A module whose writable memory ends, with a page, where this name does: no zero byte follows.
asm(R"(
  .pushsection .data
  .balign 4096
  .fill 4096 - 12, 1, 'x'
  .globl memprof_test_name_at_end
memprof_test_name_at_end:
  .ascii "St9bad_alloc"
  .popsection
)");
