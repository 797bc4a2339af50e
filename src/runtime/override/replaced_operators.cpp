// SPDX-License-Identifier: MIT
#include "override/replaced_operators.hpp"

#include <atomic>

#include "override/own_code.hpp"
#include "override/slow_paths.hpp"

// Where our own definitions are, whatever the names lead to (operator_new.cpp).
extern "C" {
[[gnu::visibility("hidden")]] void* memprof_own_new(std::size_t);
[[gnu::visibility("hidden")]] void* memprof_own_array_new(std::size_t);
[[gnu::visibility("hidden")]] void memprof_own_delete(void*) noexcept;
[[gnu::visibility("hidden")]] void memprof_own_array_delete(void*) noexcept;
[[gnu::visibility("hidden")]] void* memprof_own_aligned_new(std::size_t, std::align_val_t);
[[gnu::visibility("hidden")]] void* memprof_own_aligned_array_new(std::size_t, std::align_val_t);
}

namespace memprof::override {
namespace {

/// Whether two functions are at different addresses. Not for the compiler to decide: the linker and
/// the loader do.
template <class Function>
bool differ(Function visible, Function own) noexcept {
  asm volatile("" : "+r"(visible), "+r"(own));
  return visible != own;
}

using plain_new = void* (*)(std::size_t);
using plain_delete = void (*)(void*) noexcept;
using aligned_new = void* (*)(std::size_t, std::align_val_t);

}  // namespace

bool is_replaced(basic_form form) noexcept {
  switch (form) {
    case basic_form::new_single:
      return differ<plain_new>(&::operator new, &memprof_own_new);
    case basic_form::new_array:
      return differ<plain_new>(&::operator new[], &memprof_own_array_new);
    case basic_form::delete_single:
      return differ<plain_delete>(&::operator delete, &memprof_own_delete);
    case basic_form::delete_array:
      return differ<plain_delete>(&::operator delete[], &memprof_own_array_delete);
    case basic_form::aligned_new:
      return differ<aligned_new>(&::operator new, &memprof_own_aligned_new);
    case basic_form::aligned_new_array:
      return differ<aligned_new>(&::operator new[], &memprof_own_aligned_array_new);
  }
  __builtin_unreachable();
}

operator_functions operators_over(next_malloc_functions const& found) noexcept {
  operator_functions f = first_operators;
  if (!is_replaced(basic_form::new_single)) {
    f.array_new = found.malloc;
    f.nothrow_new = found.malloc;
    if (!is_replaced(basic_form::new_array)) f.nothrow_array_new = found.malloc;
  }
  if (!is_replaced(basic_form::delete_single)) {
    f.delete_single = found.free;
    if (!is_replaced(basic_form::delete_array)) f.delete_array = found.free;
  }
  return f;
}

void free_operators_by(void (*free)(void*) noexcept) noexcept {
  operator_functions& f = next_malloc.operators;
  if (f.delete_single != first_operators.delete_single) {
    std::atomic_ref{f.delete_single}.store(free, std::memory_order_release);
  }
  if (f.delete_array != first_operators.delete_array) {
    std::atomic_ref{f.delete_array}.store(free, std::memory_order_release);
  }
}

MEMPROF_OWN_CODE void* call_replaced_new(std::size_t size) {
  engine::current.countdown += counted_words(size);
  return ::operator new(size);
}

MEMPROF_OWN_CODE void* call_replaced_nothrow(std::size_t size, block_form form) noexcept {
  engine::current.countdown += counted_words(size);
  try {
    return form == block_form::array_new ? ::operator new[](size) : ::operator new(size);
  } catch (...) {
    return nullptr;
  }
}

MEMPROF_OWN_CODE void* forwarded_array_new(std::size_t size) { return call_replaced_new(size); }
MEMPROF_OWN_CODE void* forwarded_nothrow_new(std::size_t size) noexcept {
  return call_replaced_nothrow(size, block_form::single_new);
}
MEMPROF_OWN_CODE void* forwarded_nothrow_array_new(std::size_t size) noexcept {
  return call_replaced_nothrow(size, block_form::array_new);
}
MEMPROF_OWN_CODE void forwarded_delete(void* block) noexcept { ::operator delete(block); }
MEMPROF_OWN_CODE void forwarded_array_delete(void* block) noexcept { ::operator delete[](block); }

}  // namespace memprof::override
