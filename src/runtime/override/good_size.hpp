// SPDX-License-Identifier: MIT
/// \file
/// How the allocator beneath rounds sizes up.
#pragma once

#include <cstddef>

#include "override/next_malloc.hpp"

namespace memprof::override {

/// Looks for a function of that allocator which says it. Inside the lookup of the real functions.
void find_good_size(next_malloc_functions const& found) noexcept;

/// Bytes that its malloc_usable_size would say of a block of `size` bytes; at least `size`. As
/// glibc rounds, if the allocator has no function for it.
std::size_t good_size(std::size_t size) noexcept;

}  // namespace memprof::override
