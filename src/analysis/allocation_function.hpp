// SPDX-License-Identifier: MIT
/// \file
/// Functions that only pass memory on.
#pragma once

#include <string_view>

namespace memprof::analysis {

/// Whether a function is the malloc family's, an operator new, or `allocate` of the standard
/// library's allocator and of what stands between it and a container. Of these one never asks who
/// called them with which type, but who is behind them.
///
/// name        as memprof shortens it or a demangler writes it, with its parameters or without.
bool is_allocation_function(std::string_view name) noexcept;

}  // namespace memprof::analysis
