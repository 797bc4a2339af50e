// SPDX-License-Identifier: MIT
/// \file
/// How the format holds an interrupt: as a code that is announced and never used. Its last location
/// is a note; the locations before it are the stack.
///
///     code        first_interrupt_code + n, n = 0, 1, ...
///     filename    "memprof:interrupt"
///     defname     "limit=memory;at_us=1200;allowed=1048576;measured=1048608;deferrals=0;thread=7"
///
/// Allocates nothing: runs inside the profiled program, too.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "memprof/trace/interrupt.hpp"

#include "encoding/location_packets.hpp"

namespace memprof::encoding {

inline constexpr std::string_view interrupt_file = "memprof:interrupt";
/// Above all addresses, and small enough for OCaml's integers.
inline constexpr trace::location_code first_interrupt_code = 0x2D50'0000'0000'0000;
inline constexpr std::size_t longest_interrupt_note = 192;

namespace detail {

inline constexpr limit_kind interrupt_kinds[] = {limit_kind::allocations, limit_kind::memory,
                                                 limit_kind::global_memory, limit_kind::token,
                                                 limit_kind::deadline};

/// Takes "NAME=DIGITS" and a ';' behind it off the front.
inline bool take_number(std::string_view& text, std::string_view name, std::int64_t& to) noexcept {
  if (!text.starts_with(name) || text.substr(name.size(), 1) != "=") return false;
  text.remove_prefix(name.size() + 1);
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(';')) text.remove_prefix(1);
  return true;
}

}  // namespace detail

/// The note's defname, in `into`.
inline std::string_view interrupt_text(trace::interrupt const& i,
                                       std::span<char, longest_interrupt_note> into) noexcept {
  char* at = into.data();
  char* const end = into.data() + into.size();
  auto const add = [&](std::string_view piece) {
    at = std::ranges::copy(piece.substr(0, static_cast<std::size_t>(end - at)), at).out;
  };
  auto const number = [&](std::string_view name, std::int64_t value) {
    add(name);
    at = std::to_chars(at, end, value).ptr;
  };
  add("limit=");
  add(to_string(i.kind));
  number(";at_us=", i.time.count());
  number(";allowed=", i.allowed);
  number(";measured=", i.measured);
  number(";deferrals=", static_cast<std::int64_t>(i.deferrals));
  number(";thread=", static_cast<std::int64_t>(i.thread));
  return {into.data(), static_cast<std::size_t>(at - into.data())};
}

/// How many of the innermost calls fit an event of locations together with the note.
inline std::size_t fitting_stack(std::span<trace::location const> stack,
                                 trace::location const& note) noexcept {
  std::size_t bytes = location_event_bytes + bytes_of_location(note);
  std::size_t count = 0;
  while (count < stack.size() && count + 1 < most_locations) {
    bytes += bytes_of_location(stack[stack.size() - 1 - count]);
    if (bytes > location_budget) break;
    ++count;
  }
  return count;
}

/// The interrupt that a code's locations describe, if they do. Ignores notes of future versions and
/// malformed ones.
inline std::optional<trace::interrupt> interrupt_of(
    std::span<trace::location const> locations) noexcept {
  if (locations.empty() || locations.back().filename != interrupt_file) return std::nullopt;
  std::string_view text = locations.back().defname;
  constexpr std::string_view begin = "limit=";
  if (!text.starts_with(begin)) return std::nullopt;
  text.remove_prefix(begin.size());
  std::string_view const name = text.substr(0, text.find(';'));
  auto const* const kind = std::ranges::find_if(detail::interrupt_kinds,
                                                [&](limit_kind k) { return to_string(k) == name; });
  if (kind == std::end(detail::interrupt_kinds)) return std::nullopt;
  text.remove_prefix(std::min(text.size(), name.size() + 1));
  std::int64_t time = 0;
  std::int64_t deferrals = 0;
  std::int64_t thread = 0;
  trace::interrupt i{.kind = *kind, .stack = locations.first(locations.size() - 1)};
  if (!detail::take_number(text, "at_us", time) ||
      !detail::take_number(text, "allowed", i.allowed) ||
      !detail::take_number(text, "measured", i.measured) ||
      !detail::take_number(text, "deferrals", deferrals) ||
      !detail::take_number(text, "thread", thread) || time < 0 || deferrals < 0 || thread < 0) {
    return std::nullopt;
  }
  i.time = std::chrono::microseconds(time);
  i.deferrals = static_cast<std::uint64_t>(deferrals);
  i.thread = static_cast<std::uint64_t>(thread);
  return i;
}

}  // namespace memprof::encoding
