// SPDX-License-Identifier: MIT
/// \file
/// One counted allocation after the other, in programs with and without the replacement.
#pragma once

#include <cstddef>

#include "memprof/sources.hpp"

namespace memprof::test {

/// A block through `memprof::allocator`, which is operator new where that is replaced, and a
/// source of its own elsewhere; so these tests also run in sanitizer builds.
inline void* get_block(std::size_t size) { return memprof::allocator<std::byte>{}.allocate(size); }
inline void put_block(void* block, std::size_t size) noexcept {
  memprof::allocator<std::byte>{}.deallocate(static_cast<std::byte*>(block), size);
}

}  // namespace memprof::test
