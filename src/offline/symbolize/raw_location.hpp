// SPDX-License-Identifier: MIT
/// \file
/// Raw locations: code named by module and address.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "memprof/trace/event.hpp"

namespace memprof::symbolize {

///  - `address`: in the module as it was linked.
///  - `build_id`: hexadecimal digits, at most 16: the first of the module's; empty: it has none.
struct raw_location {
  std::string_view module;
  std::uint64_t address = 0;
  std::string_view build_id;
};

/// None if `l` is not of the form that resolver.hpp describes.
std::optional<raw_location> parse_raw(trace::location const& l) noexcept;

}  // namespace memprof::symbolize
