// SPDX-License-Identifier: MIT
/// \file
/// Functions that only pass memory on.
#pragma once

#include <string_view>

namespace memprof::page_columns {

/// Whether a function is the malloc family's, an operator new, or `allocate` of the standard
/// library's allocator and of what stands between it and a container. Of these one never asks who
/// called them with which type, but who is behind them.
///
/// \param name as memprof shortens it or a demangler writes it, with its parameters or without.
bool is_allocation_function(std::string_view name) noexcept;

/// Whether a function is the C++ standard library's (libstdc++ or libc++), or of the part of this
/// library that stands in front of malloc.
///
/// \param name as memprof shortens it.
bool is_library_function(std::string_view name) noexcept;

/// Either: not who a flat list should say that allocates, but how. Who asks for a std::map's nodes
/// is the program.
inline bool only_passes_memory_on(std::string_view name) noexcept {
  return is_library_function(name) || is_allocation_function(name);
}

}  // namespace memprof::page_columns
