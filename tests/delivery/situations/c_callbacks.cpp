// SPDX-License-Identifier: MIT
//
// Callbacks of C code: of libc, and of a library of our own.
#include <cstdlib>
#include <search.h>
#include <string>
#include <vector>

#include "special/c_library.h"
#include "support/situation.hpp"

namespace {

using namespace memprof::test;

std::size_t heap_before = 0;

int compare_by_allocating(void const* a, void const* b) {
  allocate();
  int const x = *static_cast<int const*>(a);
  int const y = *static_cast<int const*>(b);
  return (x > y) - (x < y);
}

void sort(std::size_t n) {
  // Nothing of ours may be on malloc's heap when it is compared: static.
  static int numbers[2048];
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<int>(n - i);
  check_afterwards([] { return malloc_in_use() < heap_before + 4096; });
  heap_before = malloc_in_use();
  interrupt_next(5);
  std::qsort(numbers, n, sizeof(int), compare_by_allocating);
}

// Its buffer is on the stack: no harm is seen, but nothing says so.
MEMPROF_SITUATION(qsort_comparator_small, must_defer) { sort(50); }
MEMPROF_SITUATION(qsort_comparator_large_heap_buffer, must_defer) { sort(2048); }

// Inlined by glibc's header when optimised.
MEMPROF_SITUATION(bsearch_comparator, either) {
  static int const numbers[] = {1, 2, 3, 4, 5};
  int const key = 2;
  interrupt_next(2);
  void const* const found = std::bsearch(&key, numbers, 5, sizeof(int), compare_by_allocating);
  asm volatile("" ::"r"(found));
}

MEMPROF_SITUATION(libc_tsearch_comparator, must_defer) {
  static int const keys[] = {3, 1, 2};
  static void* tree = nullptr;
  for (auto const& k : keys) {
    if (&k == keys + 2) interrupt_next(2);
    tsearch(&k, &tree, compare_by_allocating);
  }
}

MEMPROF_SITUATION(atexit_like_on_exit_handler, must_defer) {
  // exit() calls it: there is no way back to the boundary through libc.
  std::atexit([] { interruption(); });
  std::exit(0);
}

MEMPROF_SITUATION(c_library_callback, must_defer) {
  check_afterwards([] { return c_lock_is_free() != 0; });
  c_call_under_lock([](void*) { interruption(); }, nullptr);
}

MEMPROF_SITUATION(c_library_callback_block, must_defer) {
  check_afterwards([] { return c_blocks() == 0; });
  c_call_with_block([](void*) { interruption(); }, nullptr);
}

void in_cxx_frames(void* context) {
  witness const here;
  auto& v = *static_cast<std::vector<std::string>*>(context);
  interrupt_next();
  v.emplace_back(100, 'x');
}

MEMPROF_SITUATION(c_library_callback_under_cxx_frames, must_defer) {
  check_afterwards([] { return c_lock_is_free() != 0; });
  std::vector<std::string> v;
  c_call_under_lock(in_cxx_frames, &v);
}

MEMPROF_SITUATION(c_library_boundary_in_the_callback, must_deliver) {
  check_afterwards([] { return c_lock_is_free() != 0; });
  c_call_under_lock([](void*) { in_boundary([] { interruption(); }); }, nullptr);
}

MEMPROF_SITUATION(c_library_with_cleanup_attribute, either) {
  check_afterwards([] { return c_cleanup_lock_is_free() != 0; });
  c_call_with_cleanup([](void*) { interruption(); }, nullptr);
}

MEMPROF_SITUATION(c_library_tail_call, either) {
  c_tail_call([](void*) { interruption(); }, nullptr);
}

// Behind the call they only return: nothing is left behind.
MEMPROF_SITUATION(c_library_only_returns, must_deliver) {
  int const result = c_call_then_return([](void*) { interruption(); }, nullptr);
  asm volatile("" ::"r"(result));
}

// Not seen in unoptimised code of clang, which keeps the result on the stack meanwhile.
MEMPROF_SITUATION(c_library_computes_then_returns, either) {
  int const result = c_call_then_compare([](void*) { interruption(); }, nullptr, 1, 2);
  asm volatile("" ::"r"(result));
}

extern "C" void memprof_test_extern_c(void (*f)()) {
  witness const here;
  f();
}

MEMPROF_SITUATION(extern_c_cxx_function, either) {
  void (*volatile call)(void (*)()) = memprof_test_extern_c;
  call(interruption);
}

}  // namespace
