// SPDX-License-Identifier: MIT
/// \file
/// The fast paths' test, and the slow paths: sampled allocations, frees that may be tracked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "override/tracked_memory.hpp"

namespace memprof::override {

/// ceil(size / 8) + 1 in two instructions. Sizes that wrap (within 15 bytes of the address space)
/// are refused by every allocator.
inline std::int64_t counted_words(std::size_t size) noexcept {
  return static_cast<std::int64_t>((size + 15) >> 3);
}

/// Counts a block. True: take the slow path.
inline bool count(std::size_t size) noexcept {
  return (engine::current.countdown -= counted_words(size)) < 0;
}

/// An allocation of the malloc family whose countdown ran out: charged, sampled, never interrupted.
/// Null if there is no memory, as malloc, or if a limit refuses it. Keeps errno when it succeeds.
///
/// \param refused may be null; set to true if a limit refuses.
void* allocate_slow(request const& r, bool* refused = nullptr) noexcept;

/// The same for throwing operator new: a delivery point. Null if there is no memory.
/// \throws limit_exceeded if a limit was hit.
void* allocate_slow_or_interrupt(request const& r);

/// free of a block in the range. Keeps errno.
void free_slow(void* block) noexcept;
/// The same for another function that frees.
void release_slow(void* block, release const& how) noexcept;

/// malloc_usable_size of a block in the range.
std::size_t usable_size_slow(void* block) noexcept;

/// realloc where the old block is in the range, or the countdown ran out (`counted_out`).
void* reallocate_slow(void* block, std::size_t size, bool counted_out) noexcept;

/// The next allocator's functions for any block, after the test whether it is aligned and tracked,
/// or of the arena: check_alignment.
void free_aligned(void* block) noexcept;
void* reallocate_aligned(void* block, std::size_t size) noexcept;
std::size_t usable_size_aligned(void* block) noexcept;

}  // namespace memprof::override
