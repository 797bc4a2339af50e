// SPDX-License-Identifier: MIT
// The replacement of all forms of operator new and delete, but for those that the program replaces
// itself (replaced_operators.hpp). The throwing forms of new are delivery points; the nothrow forms
// charge and never interrupt.
#include <cstddef>
#include <new>

#include "override/next_malloc.hpp"
#include "override/own_code.hpp"
#include "override/replaced_operators.hpp"
#include "override/slow_paths.hpp"

using namespace memprof;
using namespace memprof::override;

// Weak: a definition of the program's takes their place, also in a linked program.
#define MEMPROF_EXPORT __attribute__((visibility("default"), weak))

extern "C" int const memprof_override_anchor_new;
int const memprof_override_anchor_new = 1;

namespace {

constexpr std::size_t default_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

MEMPROF_OWN_CODE void* allocate_from_next(std::size_t size, std::size_t alignment) noexcept {
  if (alignment <= default_alignment) return next_malloc.malloc(size);
  return next_malloc.memalign(alignment, size);
}

/// Obtains the block and, as long as there is no memory, calls the new handler: it may find some.
/// Each attempt is a request of its own, so that what is served in the end is counted, once.
///
/// counted_out the countdown ran out; if not, the next allocator has refused the first attempt.
/// \param slow allocate_slow_or_interrupt, or allocate_slow. Sets its second argument if a limit
///   refuses the request: no handler can help there.
/// \return null if there is no handler, or a limit refuses.
template <class Slow>
MEMPROF_OWN_CODE inline void* obtain_or_ask(request const& r, bool counted_out, Slow&& slow) {
  void* block = nullptr;
  while (true) {
    if (counted_out) {
      bool refused = false;
      block = slow(r, refused);
      if (refused) return nullptr;
    } else if (block == nullptr) {
      engine::withdraw_unsampled(counted_words(r.size));
    }
    if (block != nullptr) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) return nullptr;
    handler();
    counted_out = count(r.size);
    if (!counted_out) block = allocate_from_next(r.size, r.alignment);
  }
}

MEMPROF_OWN_CODE inline void* obtain_or_throw(request const& r, bool counted_out) {
  void* const block = obtain_or_ask(r, counted_out, [](request const& wanted, bool&) {
    return allocate_slow_or_interrupt(wanted);
  });
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

// operator new jumps to the slow paths: see malloc_family.cpp.
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* new_slow(std::size_t size,
                                                             std::size_t alignment,
                                                             bool counted_out) {
  return obtain_or_throw({.size = size,
                          .alignment = alignment,
                          .from = engine::source::operator_new,
                          .form = block_form::single_new,
                          .frame = __builtin_frame_address(0)},
                         counted_out);
}

[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* array_new_slow(std::size_t size,
                                                                   bool counted_out) {
  if (is_replaced(basic_form::new_single)) return call_replaced_new(size);
  return obtain_or_throw({.size = size,
                          .from = engine::source::operator_new,
                          .form = block_form::array_new,
                          .frame = __builtin_frame_address(0)},
                         counted_out);
}

/// Whether the nothrow form of new or new[] must call the program's.
bool is_replaced_new(block_form form) noexcept {
  return is_replaced(basic_form::new_single) ||
         (form == block_form::array_new && is_replaced(basic_form::new_array));
}
bool is_replaced_delete(block_form form) noexcept {
  return is_replaced(basic_form::delete_single) ||
         (form == block_form::array_new && is_replaced(basic_form::delete_array));
}
bool is_replaced_aligned_new(block_form form) noexcept {
  return is_replaced(basic_form::aligned_new) ||
         (form == block_form::array_new && is_replaced(basic_form::aligned_new_array));
}

[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* nothrow_slow(std::size_t size,
                                                                 std::size_t alignment,
                                                                 bool counted_out,
                                                                 block_form form) noexcept {
  try {
    return obtain_or_ask(
        {.size = size,
         .alignment = alignment,
         .from = engine::source::operator_new,
         .form = form,
         .frame = __builtin_frame_address(0)},
        counted_out, [](request const& r, bool& refused) { return allocate_slow(r, &refused); });
  } catch (...) {
    return nullptr;
  }
}
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* plain_nothrow_slow(std::size_t size,
                                                                       bool counted_out,
                                                                       block_form form) noexcept {
  if (!is_replaced_new(form)) return nothrow_slow(size, default_alignment, counted_out, form);
  return counted_out ? call_replaced_nothrow(size, form) : nullptr;
}
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* replaced_aligned_nothrow_slow(
    std::size_t size, std::align_val_t alignment, block_form form) noexcept {
  try {
    return form == block_form::array_new ? ::operator new[](size, alignment)
                                         : ::operator new(size, alignment);
  } catch (...) {
    return nullptr;
  }
}

[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void delete_slow(void* block) noexcept {
  release_slow(block, {.form = block_form::single_new, .caller = "operator delete"});
}
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void sized_delete_slow(void* block,
                                                                     std::size_t size) noexcept {
  if (is_replaced_delete(block_form::single_new)) return ::operator delete(block);
  release_slow(block, {.form = block_form::single_new, .size = size, .caller = "operator delete"});
}
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void array_delete_slow(void* block) noexcept {
  if (is_replaced_delete(block_form::single_new)) return ::operator delete(block);
  release_slow(block, {.form = block_form::array_new, .caller = "operator delete[]"});
}
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void sized_array_delete_slow(
    void* block, std::size_t size) noexcept {
  if (is_replaced_delete(block_form::array_new)) return ::operator delete[](block);
  release_slow(block, {.form = block_form::array_new, .size = size, .caller = "operator delete[]"});
}

MEMPROF_OWN_CODE inline void* plain_nothrow_block(
    std::size_t size, block_form form, void* (*const& allocate)(std::size_t) noexcept) noexcept {
  if (count(size)) [[unlikely]]
    return plain_nothrow_slow(size, true, form);
  void* const block = allocate(size);
  if (block == nullptr) [[unlikely]]
    return plain_nothrow_slow(size, false, form);
  return block;
}

MEMPROF_OWN_CODE inline void* aligned_nothrow_block(std::size_t size, std::align_val_t alignment,
                                                    block_form form) noexcept {
  if (is_replaced_aligned_new(form)) [[unlikely]]
    return replaced_aligned_nothrow_slow(size, alignment, form);
  const auto a = static_cast<std::size_t>(alignment);
  if (count(size)) [[unlikely]]
    return nothrow_slow(size, a, true, block_form::single_new);
  void* const block = allocate_from_next(size, a);
  if (block == nullptr) [[unlikely]]
    return nothrow_slow(size, a, false, block_form::single_new);
  return block;
}

}  // namespace

// The basic forms.

MEMPROF_EXPORT void* operator new(std::size_t n) {
  if (count(n)) [[unlikely]]
    return new_slow(n, default_alignment, true);
  void* const block = next_malloc.malloc(n);
  if (block == nullptr) [[unlikely]]
    return new_slow(n, default_alignment, false);
  return block;
}

MEMPROF_EXPORT void* operator new(std::size_t n, std::align_val_t a) {
  const auto alignment = static_cast<std::size_t>(a);
  if (count(n)) [[unlikely]]
    return new_slow(n, alignment, true);
  void* const block = allocate_from_next(n, alignment);
  if (block == nullptr) [[unlikely]]
    return new_slow(n, alignment, false);
  return block;
}

MEMPROF_EXPORT void operator delete(void* p) noexcept {
  if (in_range(p)) [[unlikely]]
    return delete_slow(p);
  next_malloc.free(p);
}

MEMPROF_EXPORT void operator delete(void* p, std::align_val_t) noexcept {
  if (in_range(p)) [[unlikely]]
    return delete_slow(p);
  next_malloc.free(p);
}

// Those that the standard defines by others. A program may replace these, too.

MEMPROF_EXPORT void* operator new[](std::size_t n) {
  if (count(n)) [[unlikely]]
    return array_new_slow(n, true);
  void* const block = next_malloc.operators.array_new(n);
  if (block == nullptr) [[unlikely]]
    return array_new_slow(n, false);
  return block;
}

MEMPROF_EXPORT void operator delete[](void* p) noexcept {
  if (in_range(p)) [[unlikely]]
    return array_delete_slow(p);
  next_malloc.operators.delete_single(p);
}

MEMPROF_EXPORT void operator delete(void* p, std::size_t n) noexcept {
  if (in_range(p)) [[unlikely]]
    return sized_delete_slow(p, n);
  next_malloc.operators.delete_single(p);
}

MEMPROF_EXPORT void operator delete[](void* p, std::size_t n) noexcept {
  if (in_range(p)) [[unlikely]]
    return sized_array_delete_slow(p, n);
  next_malloc.operators.delete_array(p);
}

// clang-format off
MEMPROF_EXPORT void* operator new(std::size_t n, std::nothrow_t const&) noexcept { return plain_nothrow_block(n, block_form::single_new, next_malloc.operators.nothrow_new); }
MEMPROF_EXPORT void* operator new[](std::size_t n, std::nothrow_t const&) noexcept { return plain_nothrow_block(n, block_form::array_new, next_malloc.operators.nothrow_array_new); }
MEMPROF_EXPORT void* operator new(std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept { return aligned_nothrow_block(n, a, block_form::single_new); }
MEMPROF_EXPORT void* operator new[](std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept { return aligned_nothrow_block(n, a, block_form::array_new); }
MEMPROF_EXPORT void* operator new[](std::size_t n, std::align_val_t a) { return ::operator new(n, a); }

MEMPROF_EXPORT void operator delete(void* p, std::nothrow_t const&) noexcept { ::operator delete(p); }
MEMPROF_EXPORT void operator delete[](void* p, std::nothrow_t const&) noexcept { ::operator delete[](p); }
MEMPROF_EXPORT void operator delete[](void* p, std::align_val_t a) noexcept { ::operator delete(p, a); }
MEMPROF_EXPORT void operator delete(void* p, std::size_t, std::align_val_t a) noexcept { ::operator delete(p, a); }
MEMPROF_EXPORT void operator delete[](void* p, std::size_t, std::align_val_t a) noexcept { ::operator delete[](p, a); }
MEMPROF_EXPORT void operator delete(void* p, std::align_val_t a, std::nothrow_t const&) noexcept { ::operator delete(p, a); }
MEMPROF_EXPORT void operator delete[](void* p, std::align_val_t a, std::nothrow_t const&) noexcept { ::operator delete[](p, a); }
// clang-format on

// What replaced_operators.cpp compares with: these stay ours.
#define MEMPROF_OWN(symbol) __attribute__((visibility("hidden"), alias(symbol)))
#define MEMPROF_OWN_NEW(symbol) MEMPROF_OWN(symbol) __attribute__((malloc, alloc_size(1)))
extern "C" {
MEMPROF_OWN_NEW("_Znwm") void* memprof_own_new(std::size_t);
MEMPROF_OWN_NEW("_Znam") void* memprof_own_array_new(std::size_t);
MEMPROF_OWN("_ZdlPv") void memprof_own_delete(void*) noexcept;
MEMPROF_OWN("_ZdaPv") void memprof_own_array_delete(void*) noexcept;
MEMPROF_OWN_NEW("_ZnwmSt11align_val_t")
void* memprof_own_aligned_new(std::size_t, std::align_val_t);
MEMPROF_OWN_NEW("_ZnamSt11align_val_t")
void* memprof_own_aligned_array_new(std::size_t, std::align_val_t);
}
