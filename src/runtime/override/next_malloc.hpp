// SPDX-License-Identifier: MIT
/// \file
/// The next allocator: the malloc that would be found without ours (glibc, jemalloc, tcmalloc,
/// mimalloc).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memprof::override {

/// By what the forms of operator new and delete get and free their blocks that the standard defines
/// by others: replaced_operators.hpp.
struct operator_functions {
  void* (*array_new)(std::size_t);  ///< of new[]; null if there is no memory, or throws
  void* (*nothrow_new)(std::size_t) noexcept;
  void* (*nothrow_array_new)(std::size_t) noexcept;
  void (*delete_single)(void*) noexcept;  ///< of delete[], and of the sized delete
  void (*delete_array)(void*) noexcept;   ///< of the sized delete[]
};

/// Called only through these pointers. They begin as functions that look the real ones up at the
/// first call, so they may be called at any time. noexcept, because otherwise a noexcept
/// caller could not end in a jump to them.
struct next_malloc_functions {
  void* (*malloc)(std::size_t) noexcept;
  void* (*calloc)(std::size_t, std::size_t) noexcept;
  void* (*realloc)(void*, std::size_t) noexcept;
  void (*free)(void*) noexcept;
  int (*posix_memalign)(void**, std::size_t, std::size_t) noexcept;
  void* (*aligned_alloc)(std::size_t, std::size_t) noexcept;
  void* (*memalign)(std::size_t, std::size_t) noexcept;
  std::size_t (*malloc_usable_size)(void*) noexcept;
  operator_functions operators;
};

/// Hidden at its declaration, too (-fvisibility does not affect declarations): else each fast path
/// would load its address from the global offset table, an extra instruction before the jump.
extern constinit next_malloc_functions next_malloc __attribute__((visibility("hidden")));

/// The same, but never `free_aligned` and the like: for the slow paths, which know what they have.
extern constinit next_malloc_functions unchecked_malloc __attribute__((visibility("hidden")));

/// Whether the next allocator is that of the preload library: it samples, too, for a recorder, say,
/// and must see what this program allocates. Looks the next allocator up, if nobody did.
bool next_samples() noexcept;

/// From here on the free, realloc and malloc_usable_size of `next_malloc` are those of
/// slow_paths.hpp that first look whether the block begins a page, and is tracked or of the arena.
/// (The fast paths stay as they are: they only find other addresses in the table.) Before the first
/// such block is handed out. Any thread, any number of times.
void check_alignment() noexcept;
extern constinit std::atomic<bool> alignment_checked __attribute__((visibility("hidden")));
inline bool checks_alignment() noexcept {
  return alignment_checked.load(std::memory_order_acquire);
}

inline constexpr std::size_t bootstrap_blocks = 32;
inline constexpr std::size_t bootstrap_block_size = 4096;
extern constinit char bootstrap_arena[bootstrap_blocks][bootstrap_block_size]
    __attribute__((visibility("hidden")));

/// Blocks for allocations of the lookup itself: page-aligned, in a static arena, never
/// reused.
inline bool is_bootstrap_block(void const* block) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  return address - reinterpret_cast<std::uintptr_t>(bootstrap_arena) < sizeof bootstrap_arena;
}

}  // namespace memprof::override
