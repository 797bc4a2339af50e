// SPDX-License-Identifier: MIT
/// \file
/// Amounts of memory as people write them: "200MiB" and back.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include <memprof/units.hpp>

namespace example {

struct unit {
  std::string_view name;
  std::int64_t size;
};
inline constexpr std::array<unit, 4> units{
    {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}};

/// "200MiB", "64 KiB", "4096": a whole number and B, KiB, MiB, GiB or nothing.
/// throws      std::invalid_argument, naming the text.
inline memprof::bytes parse_amount(std::string_view text) {
  auto const refuse = [text](char const* why) {
    return std::invalid_argument("'" + std::string(text) + "' is no amount of memory: " + why);
  };

  std::int64_t count = 0;
  auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc::result_out_of_range) throw refuse("too large");
  if (error != std::errc() || count < 0) throw refuse("write it as 4096, 64KiB or 200MiB");

  std::string_view suffix = text.substr(static_cast<std::size_t>(rest - text.data()));
  if (suffix.starts_with(' ')) suffix.remove_prefix(1);
  if (suffix.empty()) suffix = "B";
  for (unit const& u : units) {
    if (suffix != u.name) continue;
    if (count > std::numeric_limits<std::int64_t>::max() / u.size) throw refuse("too large");
    return memprof::bytes{count * u.size};
  }
  throw refuse("the unit must be B, KiB, MiB or GiB");
}

/// In the largest unit of which there is at least one: "12.3 MiB".
inline std::string format_amount(memprof::bytes amount) {
  for (unit const& u : units) {
    if (amount.count() < u.size) continue;
    if (u.size == 1) return std::to_string(amount.count()) + " B";
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.1f %s",
                  static_cast<double>(amount.count()) / static_cast<double>(u.size), u.name.data());
    return text.data();
  }
  return std::to_string(amount.count()) + " B";
}

}  // namespace example
