// SPDX-License-Identifier: MIT
// For reloaded_module: the same code twice, once with a function that lets exceptions through, once
// with one that ends them in std::terminate. They differ in their landing pads at
// most: aligned, the call is at the same place in both.
#ifndef MEMPROF_TEST_NOEXCEPT
#define MEMPROF_TEST_NOEXCEPT false
#endif

struct guard {
  int* count;
  ~guard() { ++*count; }
};

int unwound = 0;

[[gnu::noinline, gnu::aligned(1024)]] void call_through(void (*f)()) noexcept(
    MEMPROF_TEST_NOEXCEPT) {
  guard const g{&unwound};
  asm volatile(".p2align 7");  // whatever came before
  f();
}
