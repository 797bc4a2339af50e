// SPDX-License-Identifier: MIT
/// \file
/// Patterns of functions: "absl::*::raw_hash_set<*>::*", or "module libgrpc.so".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "delivery/decide/mangled_name.hpp"

namespace memprof::delivery {

/// Parts between "::". A part is an identifier, in which * stands for any letters; with "<*>" it
/// has template arguments, which are not looked at; alone, * stands for one part or more. The first
/// part has no *, so that few names need to be looked at as a whole.
struct function_pattern {
  static constexpr std::size_t most_parts = 8;
  struct part {
    std::string_view identifier;
    bool has_arguments = false;
    bool any = false;  ///< one part or more
  };
  std::array<part, most_parts> parts{};
  std::uint8_t count = 0;  ///< 0: the text was no pattern

  [[nodiscard]] constexpr std::span<part const> all() const noexcept {
    return std::span(parts).first(count);
  }
};

/// The text must live as long as the pattern.
constexpr function_pattern pattern_of(std::string_view text) noexcept {
  function_pattern p;
  while (true) {
    const std::size_t end = text.find("::");
    std::string_view one = text.substr(0, end);
    function_pattern::part part{.identifier = one};
    if (one.ends_with("<*>")) {
      one.remove_suffix(3);
      part = {.identifier = one, .has_arguments = true};
    }
    part.any = one == "*" && !part.has_arguments;
    const bool wrong = one.empty() || one.find_first_of("<>(), ") != std::string_view::npos ||
                       (p.count == 0 && one.contains('*'));
    if (wrong || p.count == function_pattern::most_parts) return {};
    p.parts[p.count++] = part;
    if (end == std::string_view::npos) return p;
    text.remove_prefix(end + 2);
  }
}

/// The file name in "module libgrpc.so": a pattern of all functions of that module, for libraries
/// whose files are stripped of the names of most. Empty if `text` is no such pattern.
constexpr std::string_view module_in(std::string_view text) noexcept {
  constexpr std::string_view begin = "module ";
  if (!text.starts_with(begin)) return {};
  text.remove_prefix(begin.size());
  return text.find_first_of("/* ") == std::string_view::npos ? text : std::string_view{};
}

/// Whether `path` is a file of that name, with or without a version: libgrpc.so.29 for libgrpc.so.
constexpr bool is_module(std::string_view name, std::string_view path) noexcept {
  path.remove_prefix(path.rfind('/') + 1);
  if (!path.starts_with(name)) return false;
  return path.size() == name.size() || path[name.size()] == '.';
}

/// Signal-safe.
bool matches(function_pattern const& pattern, std::span<name_part const> name) noexcept;

}  // namespace memprof::delivery
