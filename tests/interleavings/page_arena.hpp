// SPDX-License-Identifier: MIT
/// \file
/// Pages for what is explored: from an array that is empty again before each run.
#pragma once

#include <cstddef>

namespace interleavings {

/// All pages are free and zeroed, all addresses unmapped.
void reset_pages() noexcept;

}  // namespace interleavings
