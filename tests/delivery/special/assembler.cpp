// SPDX-License-Identifier: MIT
//
// Frames made by hand: one that no table covers, and one with tables but without a language.
#include "special/special.hpp"

#if defined(__x86_64__)
asm(R"(
  .text
  .globl asm_call_without_cfi
  .type asm_call_without_cfi, @function
asm_call_without_cfi:
  subq $8, %rsp
  call *%rdi
  addq $8, %rsp
  ret
  .size asm_call_without_cfi, . - asm_call_without_cfi

  .globl asm_call_with_cfi
  .type asm_call_with_cfi, @function
asm_call_with_cfi:
  .cfi_startproc
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call *%rdi
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size asm_call_with_cfi, . - asm_call_with_cfi
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl asm_call_without_cfi
  .type asm_call_without_cfi, %function
asm_call_without_cfi:
  stp x29, x30, [sp, #-16]!
  blr x0
  ldp x29, x30, [sp], #16
  ret
  .size asm_call_without_cfi, . - asm_call_without_cfi

  .globl asm_call_with_cfi
  .type asm_call_with_cfi, %function
asm_call_with_cfi:
  .cfi_startproc
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset 29, -16
  .cfi_offset 30, -8
  blr x0
  ldp x29, x30, [sp], #16
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size asm_call_with_cfi, . - asm_call_with_cfi
)");
#endif
