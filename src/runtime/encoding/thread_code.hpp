// SPDX-License-Identifier: MIT
/// \file
/// How the format holds the thread of an allocation: as the first code of its backtrace, before the
/// outermost caller, with one location.
///
///     code        first_thread_code + naming << 32 + number
///     filename    "memprof:thread"
///     defname     "NAME ID": the name, and the kernel's id, as a number
///
/// number: 1, 2, ... in the order in which threads were first seen, so that an id that comes again
/// is another thread. naming: 0, 1, ... when the thread's name changes, since the locations of a
/// code may not.
///
/// The format's domains would need tables of some 400 KiB for each thread in writers and readers, a
/// packet for each switch of threads, and version 3. Other readers show this code as a frame.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "memprof/trace/event.hpp"
#include "memprof/trace/thread.hpp"

namespace memprof::encoding {

inline constexpr std::string_view thread_file = "memprof:thread";
/// Above all addresses, interrupts and notes, and small enough for OCaml's integers.
inline constexpr trace::location_code first_thread_code = 0x2D52'0000'0000'0000;
inline constexpr trace::location_code behind_thread_codes = 0x2D53'0000'0000'0000;
inline constexpr std::uint32_t most_namings = 256;

constexpr trace::location_code thread_code(std::uint32_t number, std::uint32_t naming) noexcept {
  return first_thread_code + (std::uint64_t{naming} << 32) + number;
}
/// Whether it may be the code of a thread; what it is its location says.
constexpr bool is_thread_code(trace::location_code code) noexcept {
  return code - first_thread_code < behind_thread_codes - first_thread_code;
}
constexpr std::uint32_t thread_number(trace::location_code code) noexcept {
  return static_cast<std::uint32_t>(code);
}

/// The thread that a code's locations name, if they do.
inline std::optional<trace::thread> thread_of(trace::location_code code,
                                              std::span<trace::location const> locations) noexcept {
  if (!is_thread_code(code) || thread_number(code) == 0) return std::nullopt;
  if (locations.size() != 1 || locations[0].filename != thread_file) return std::nullopt;
  std::string_view const text = locations[0].defname;
  trace::thread found{.number = thread_number(code), .id = 0, .name = {}};
  std::size_t const blank = text.rfind(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  char const* const end = text.data() + text.size();
  auto const [rest, error] = std::from_chars(text.data() + blank + 1, end, found.id);
  if (error != std::errc{} || rest != end) return std::nullopt;
  found.name = text.substr(0, blank);
  return found;
}

}  // namespace memprof::encoding
