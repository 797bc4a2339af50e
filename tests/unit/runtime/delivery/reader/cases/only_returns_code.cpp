// SPDX-License-Identifier: MIT
//
// The code behind a call, as compilers write it: each a procedure of its own, which is never run.
#if defined(__x86_64__) || defined(__aarch64__)
asm(R"(
  .text
  .macro memprof_code name
  .globl memprof_code_\name
  .hidden memprof_code_\name
  .type memprof_code_\name, %function
memprof_code_\name:
  .cfi_startproc
  .endm
  .macro memprof_end name
  .cfi_endproc
  .size memprof_code_\name, . - memprof_code_\name
  .endm
)"
#if defined(__x86_64__)
    R"(
memprof_code plain
  xorl %eax, %eax
  addq $8, %rsp
  popq %rbx
  leave
  ret
memprof_end plain
memprof_code branch
  cmpl $3, 8(%rsp)
  jne 1f
  movl $1, %eax
  jmp 2f
1: leaq 4(%rbx,%rbx,2), %rax
2: addq $24, %rsp
  nopw 0(%rax,%rax,1)
  ret
memprof_end branch
memprof_code checked_stack
  movq 8(%rsp), %rdx
  subq %fs:40, %rdx
  jne 1f
  addq $24, %rsp
  ret
1: call __stack_chk_fail@PLT
memprof_end checked_stack
memprof_code stores
  movl $0, 8(%rdi)
  ret
memprof_end stores
memprof_code counts_down
  decl 8(%rdi)
  ret
memprof_end counts_down
memprof_code stores_on_one_side
  testl %eax, %eax
  je 1f
  ret
1: movb $0, (%rbx)
  ret
memprof_end stores_on_one_side
memprof_code calls
  call free@PLT
  ret
memprof_end calls
memprof_code calls_in_place_of_returning
  jmp free@PLT
memprof_end calls_in_place_of_returning
memprof_code calls_through_a_register
  call *%rbx
  ret
memprof_end calls_through_a_register
memprof_code pushes
  pushq %rax
  ret
memprof_end pushes
memprof_code pops_to_memory
  popq (%rbx)
  ret
memprof_end pops_to_memory
memprof_code sets_a_mode_back
  ldmxcsr 8(%rsp)
  ret
memprof_end sets_a_mode_back
memprof_code vector_store
  movaps %xmm0, (%rdi)
  ret
memprof_end vector_store
memprof_code loops
1: incl %eax
  jmp 1b
memprof_end loops
memprof_code falls_off
  xorl %eax, %eax
memprof_end falls_off
memprof_code system_call
  syscall
  ret
memprof_end system_call
memprof_code traps
  ud2
memprof_end traps
memprof_code traps_on_one_side
  jne 1f
  ret
1: ud2
memprof_end traps_on_one_side
memprof_code as_long_as_is_read
  .rept 63
  nop
  .endr
  ret
memprof_end as_long_as_is_read
memprof_code longer_than_is_read
  .rept 64
  nop
  .endr
  ret
memprof_end longer_than_is_read
memprof_code as_many_branches_as_are_read
  .rept 8
  jne 1f
  .endr
1: ret
memprof_end as_many_branches_as_are_read
memprof_code more_branches_than_are_read
  .rept 9
  jne 1f
  .endr
1: ret
memprof_end more_branches_than_are_read
)"
#elif defined(__aarch64__)
    R"(
memprof_code plain
  mov w0, 0
  ldr x19, [sp, 16]
  ldp x29, x30, [sp], 32
  ret
memprof_end plain
memprof_code branch
  ldr w1, [sp, 8]
  cmp w1, 3
  b.ne 1f
  mov w0, 1
  b 2f
1: add x0, x19, x19, lsl 1
2: ldr x30, [sp], 16
  ret
memprof_end branch
memprof_code checked_stack
  ldr x1, [sp, 24]
  subs x1, x1, x2
  b.ne 1f
  ldp x29, x30, [sp], 32
  ret
1: bl __stack_chk_fail
memprof_end checked_stack
memprof_code stores
  str wzr, [x0, 8]
  ret
memprof_end stores
memprof_code counts_down
  stp x0, x1, [x2], 16
  ret
memprof_end counts_down
memprof_code stores_on_one_side
  cbz w0, 1f
  ret
1: strb wzr, [x19]
  ret
memprof_end stores_on_one_side
memprof_code calls
  bl free
  ret
memprof_end calls
memprof_code calls_in_place_of_returning
  b free
memprof_end calls_in_place_of_returning
memprof_code calls_through_a_register
  blr x1
  ret
memprof_end calls_through_a_register
memprof_code pushes
  str x0, [sp, -16]!
  ret
memprof_end pushes
memprof_code pops_to_memory
  stlr w0, [x1]
  ret
memprof_end pops_to_memory
memprof_code sets_a_mode_back
  msr fpcr, x0
  ret
memprof_end sets_a_mode_back
memprof_code vector_store
  str q0, [x0]
  ret
memprof_end vector_store
memprof_code loops
1: add w0, w0, 1
  b 1b
memprof_end loops
memprof_code falls_off
  mov w0, 0
memprof_end falls_off
memprof_code system_call
  svc 0
  ret
memprof_end system_call
memprof_code traps
  brk 0
memprof_end traps
memprof_code traps_on_one_side
  cbz w0, 1f
  ret
1: brk 0
memprof_end traps_on_one_side
memprof_code as_long_as_is_read
  .rept 63
  mov w0, w1
  .endr
  ret
memprof_end as_long_as_is_read
memprof_code longer_than_is_read
  .rept 64
  mov w0, w1
  .endr
  ret
memprof_end longer_than_is_read
memprof_code as_many_branches_as_are_read
  .rept 8
  b.ne 1f
  .endr
1: ret
memprof_end as_many_branches_as_are_read
memprof_code more_branches_than_are_read
  .rept 9
  b.ne 1f
  .endr
1: ret
memprof_end more_branches_than_are_read
)"
#endif
);
#endif
