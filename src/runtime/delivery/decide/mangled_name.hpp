// SPDX-License-Identifier: MIT
/// \file
/// The parts of a mangled name (Itanium C++ ABI, section 5.1), without demangling it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace memprof::delivery {

/// A namespace, class or function. Of operators and conversions the identifier is "operator", of
/// constructors and destructors that of their class.
struct name_part {
  std::string_view identifier;
  bool has_arguments = false;  ///< of a template
};

inline constexpr std::size_t most_name_parts = 32;

/// The parts of the function that `name` is, or is local to, outermost first:
///
///     _ZN4absl12raw_hash_setIiE6resizeEm           absl, raw_hash_set<>, resize
///     _ZZN1a1fEvENKUlvE_clEv (a lambda in a::f)    a, f
///
/// \return how many there are; 0 if the name is not one of a function or is not understood:
///   vtables, thunks, names in the standard library that are abbreviated.
///
/// Any bytes may be passed. Any thread, signal-safe; one pass, no recursion.
std::size_t parts_of_name(std::string_view name,
                          std::span<name_part, most_name_parts> parts) noexcept;

}  // namespace memprof::delivery
