// SPDX-License-Identifier: MIT
/// \file
/// Names of functions that fit a given length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memprof::symbolize {

/// The shortest length that cut_name is made for.
inline constexpr std::size_t shortest_cut_name = 32;

/// The demangled name in at most `longest` bytes, with "..." where something was left out. A name
/// that fits stays as it is. Others lose, until they fit, in this order:
///
///     template arguments, the deepest first    a::map<int, b<c>>::find  a::map<int, b<...>>::find
///     arguments of functions                   f(std::string const&)::g(int)  f(...)::g(int)
///     namespaces and classes, the outermost first                    ...::inner::find
///     the end of the function's own name, if that alone is too long
///
/// \param longest at least shortest_cut_name.
/// \param mark put behind the last "...", to distinguish functions whose names would look the same:
///   mark_of(name). At most 7 bytes.
std::string cut_name(std::string_view name, std::size_t longest, std::string_view mark = {});

/// "#1f03ab": a hash of the name.
std::string mark_of(std::string_view name);

}  // namespace memprof::symbolize
