// SPDX-License-Identifier: MIT
/// \file
/// Functions through which no interrupt is raised whatever their tables say, because they are known
/// not to survive it: those of unsafe_functions.txt, and as the program says otherwise.
#pragma once

#include <string_view>

namespace memprof::delivery {

/// Whether the function of this mangled name, or the one that it is local to, is on the list.
///
/// Any thread, signal-safe. 2 ns for names whose first part is on no list, else some 100.
bool is_unsafe_function(std::string_view mangled) noexcept;

/// Whether all functions of the module of this path, or name, are. Any thread, signal-safe.
bool is_unsafe_module(std::string_view path) noexcept;

/// Declares the functions of a pattern (function_pattern.hpp) unsafe, or not; of several that match
/// the latest counts, but a module that is unsafe is so as a whole. Keeps a copy of the pattern.
///
/// \throws std::invalid_argument for what is no pattern.
/// \throws std::length_error beyond 64 of them, or for one of more than 200 letters. Any thread.
void add_function_pattern(std::string_view pattern, bool unsafe);

}  // namespace memprof::delivery
