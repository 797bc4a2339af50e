// SPDX-License-Identifier: MIT
// The replacement of all forms of operator new and delete. The throwing forms of new are delivery
// points; the nothrow forms charge and never interrupt.
#include <cstddef>
#include <new>

#include "override/next_malloc.hpp"
#include "override/own_code.hpp"
#include "override/slow_paths.hpp"

using namespace memprof;
using namespace memprof::override;

#define MEMPROF_EXPORT __attribute__((visibility("default")))

extern "C" MEMPROF_EXPORT int const memprof_override_anchor_new;
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
/// slow        allocate_slow_or_interrupt, or allocate_slow. Sets its second argument if a limit
///             refuses the request: no handler can help there.
/// returns     null if there is no handler, or a limit refuses.
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

[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* new_slow(std::size_t size,
                                                             std::size_t alignment,
                                                             bool counted_out) {
  // operator new jumps here: see malloc_family.cpp.
  void* const block = obtain_or_ask(
      {.size = size,
       .alignment = alignment,
       .from = engine::source::operator_new,
       .frame = __builtin_frame_address(0)},
      counted_out, [](request const& r, bool&) { return allocate_slow_or_interrupt(r); });
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* nothrow_slow(std::size_t size,
                                                                 std::size_t alignment,
                                                                 bool counted_out) noexcept {
  try {
    return obtain_or_ask(
        {.size = size,
         .alignment = alignment,
         .from = engine::source::operator_new,
         .frame = __builtin_frame_address(0)},
        counted_out, [](request const& r, bool& refused) { return allocate_slow(r, &refused); });
  } catch (...) {
    return nullptr;
  }
}

MEMPROF_OWN_CODE inline void* new_block(std::size_t size) {
  if (count(size)) [[unlikely]]
    return new_slow(size, default_alignment, true);
  void* const block = next_malloc.malloc(size);
  if (block == nullptr) [[unlikely]]
    return new_slow(size, default_alignment, false);
  return block;
}

MEMPROF_OWN_CODE inline void* new_aligned_block(std::size_t size, std::size_t alignment) {
  if (count(size)) [[unlikely]]
    return new_slow(size, alignment, true);
  void* const block = allocate_from_next(size, alignment);
  if (block == nullptr) [[unlikely]]
    return new_slow(size, alignment, false);
  return block;
}

MEMPROF_OWN_CODE inline void* new_nothrow_block(std::size_t size, std::size_t alignment) noexcept {
  if (count(size)) [[unlikely]]
    return nothrow_slow(size, alignment, true);
  void* const block = allocate_from_next(size, alignment);
  if (block == nullptr) [[unlikely]]
    return nothrow_slow(size, alignment, false);
  return block;
}

inline void delete_block(void* block) noexcept {
  if (in_range(block)) [[unlikely]]
    return free_slow(block);
  next_malloc.free(block);
}

constexpr std::size_t value(std::align_val_t alignment) noexcept {
  return static_cast<std::size_t>(alignment);
}

}  // namespace

// clang-format off
MEMPROF_EXPORT void* operator new(std::size_t n) { return new_block(n); }
MEMPROF_EXPORT void* operator new[](std::size_t n) { return new_block(n); }
MEMPROF_EXPORT void* operator new(std::size_t n, std::nothrow_t const&) noexcept { return new_nothrow_block(n, default_alignment); }
MEMPROF_EXPORT void* operator new[](std::size_t n, std::nothrow_t const&) noexcept { return new_nothrow_block(n, default_alignment); }
MEMPROF_EXPORT void* operator new(std::size_t n, std::align_val_t a) { return new_aligned_block(n, value(a)); }
MEMPROF_EXPORT void* operator new[](std::size_t n, std::align_val_t a) { return new_aligned_block(n, value(a)); }
MEMPROF_EXPORT void* operator new(std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept { return new_nothrow_block(n, value(a)); }
MEMPROF_EXPORT void* operator new[](std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept { return new_nothrow_block(n, value(a)); }

MEMPROF_EXPORT void operator delete(void* p) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete[](void* p) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete(void* p, std::size_t) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete[](void* p, std::size_t) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete(void* p, std::nothrow_t const&) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete[](void* p, std::nothrow_t const&) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete(void* p, std::align_val_t) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete[](void* p, std::align_val_t) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete(void* p, std::size_t, std::align_val_t) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete(void* p, std::align_val_t, std::nothrow_t const&) noexcept { delete_block(p); }
MEMPROF_EXPORT void operator delete[](void* p, std::align_val_t, std::nothrow_t const&) noexcept { delete_block(p); }
// clang-format on
