// SPDX-License-Identifier: MIT
/// \file
/// The properties of a function that the page gets besides its name.
#pragma once

#include <string_view>

#include "page_columns/allocation_function.hpp"

namespace memprof::page_columns {

enum node_flag : unsigned { inlined = 1, unnamed = 2, allocates = 4, library = 8 };

/// \param is_unnamed nothing is known of it but its code.
inline unsigned flags_of(std::string_view name, bool is_inlined, bool is_unnamed) noexcept {
  unsigned flags = is_inlined ? unsigned{inlined} : 0U;
  if (is_unnamed) return flags | unnamed;
  if (is_allocation_function(name)) {
    flags |= allocates;
  } else if (is_library_function(name)) {
    flags |= library;
  }
  return flags;
}

}  // namespace memprof::page_columns
