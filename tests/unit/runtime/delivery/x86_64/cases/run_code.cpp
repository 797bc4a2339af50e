// SPDX-License-Identifier: MIT
//
// memprof_test_run of random_code.hpp.
#if defined(__x86_64__)

asm(R"(
  .text
  .globl memprof_test_run
  .hidden memprof_test_run
  .type memprof_test_run, @function
memprof_test_run:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  pushq %rsi
  pushq %rdi
  movq %rsi, %rax
  pushq 128(%rax)
  popfq
  leaq -8(%rsp), %rcx
  movq %rcx, 32(%rax)
  movq 8(%rax), %rcx
  movq 16(%rax), %rdx
  movq 24(%rax), %rbx
  movq 40(%rax), %rbp
  movq 48(%rax), %rsi
  movq 56(%rax), %rdi
  movq 64(%rax), %r8
  movq 72(%rax), %r9
  movq 80(%rax), %r10
  movq 88(%rax), %r11
  movq 96(%rax), %r12
  movq 104(%rax), %r13
  movq 112(%rax), %r14
  movq 120(%rax), %r15
  movq (%rax), %rax
  call *(%rsp)
  pushfq
  pushq %rax
  movq 24(%rsp), %rax
  movq %rcx, 8(%rax)
  movq %rdx, 16(%rax)
  movq %rbx, 24(%rax)
  movq %rbp, 40(%rax)
  movq %rsi, 48(%rax)
  movq %rdi, 56(%rax)
  movq %r8, 64(%rax)
  movq %r9, 72(%rax)
  movq %r10, 80(%rax)
  movq %r11, 88(%rax)
  movq %r12, 96(%rax)
  movq %r13, 104(%rax)
  movq %r14, 112(%rax)
  movq %r15, 120(%rax)
  popq %rcx
  movq %rcx, (%rax)
  popq %rcx
  movq %rcx, 128(%rax)
  addq $16, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  cld
  ret
  .size memprof_test_run, . - memprof_test_run
)");

#endif
