// SPDX-License-Identifier: MIT
#include "unit/runtime/callstack/cases/shapes.hpp"

namespace memprof::test {

void cases_without_frame_pointers(called f) { all_shapes(f); }

[[gnu::noinline]] void with_frame_pointer(std::uintptr_t value, called f) {
#if defined(__x86_64__)
  // The tables do not tell of the alignment: for walks without them only.
  asm volatile(
      "pushq %%rbp\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_rel_offset rbp, 0\n\t"
      "movq %0, %%rbp\n\t"
      "movq %%rsp, %%rbx\n\tandq $-16, %%rsp\n\tcallq *%1\n\tmovq %%rbx, %%rsp\n\t"
      "popq %%rbp\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rbp"
      :
      : "r"(value), "r"(f)
      : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#else
  static_cast<void>(value);
  f();
#endif
}

}  // namespace memprof::test
