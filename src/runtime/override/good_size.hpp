// SPDX-License-Identifier: MIT
/// \file
/// How the next allocator rounds sizes up.
#pragma once

#include <cstddef>

#include "override/next_malloc.hpp"

namespace memprof::override {

/// Looks for that allocator's function that computes it, when the real functions are looked up.
void find_good_size(next_malloc_functions const& found) noexcept;

/// Whether it has one, as jemalloc, tcmalloc and mimalloc have.
bool next_tells_good_size() noexcept;

/// What its malloc_usable_size would return for a block of `size` bytes; at least `size`. Rounds as
/// glibc does, if the allocator has no function for it.
std::size_t good_size(std::size_t size) noexcept;

}  // namespace memprof::override
