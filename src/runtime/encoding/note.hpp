// SPDX-License-Identifier: MIT
/// \file
/// How the format holds a note: as a code that is announced and never used, with one location.
///
///     code        first_note_code + n, n = 0, 1, ...
///     filename    "memprof:note"
///     defname     "NAME=VALUE"
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "memprof/trace/event.hpp"
#include "memprof/trace/note.hpp"

namespace memprof::encoding {

inline constexpr std::string_view note_file = "memprof:note";
/// Above all addresses and interrupts, and small enough for OCaml's integers.
inline constexpr trace::location_code first_note_code = 0x2D51'0000'0000'0000;
inline constexpr std::size_t longest_note = 3000;
/// See trace::note. It stands in a packet before those of later events.
inline constexpr std::string_view exit_note_name = "exit_began";

/// The note that a code's locations are, if they are.
inline std::optional<trace::note> note_of(std::span<trace::location const> locations) noexcept {
  if (locations.size() != 1 || locations[0].filename != note_file) return std::nullopt;
  std::string_view const text = locations[0].defname;
  std::size_t const end = text.find('=');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return trace::note{.name = text.substr(0, end), .value = text.substr(end + 1)};
}

}  // namespace memprof::encoding
