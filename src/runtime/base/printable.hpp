// SPDX-License-Identifier: MIT
/// \file
/// Text that nobody vouches for (names of functions, threads, files) as it may go to a terminal or
/// a page: what gives orders, hides, or changes the order of what is read is escaped.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace memprof::base {

/// A character at the beginning of a text.
///
///  - `length`: in bytes, at least 1.
///  - `valid`: false: a byte that is not UTF-8; `code` is its value.
struct character {
  std::uint32_t code;
  std::uint32_t length;
  bool valid;
};

/// \param text not empty.
[[nodiscard]] constexpr character first_character(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
  const std::uint32_t first = at(0);
  if (first < 0x80) return {first, 1, true};
  const std::uint32_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {first, 1, false};
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return {first, 1, false};
    code = code << 6 | (at(i) & 0x3f);
  }
  const bool overlong = code < (length == 4 ? 0x10000U : length == 3 ? 0x800U : 0x80U);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {first, 1, false};
  return {code, length, true};
}

/// False: control characters; what changes the direction of a text, begins a line, or has no glyph.
/// (Unicode: Cc, Cf, Zl, Zp, and Default_Ignorable_Code_Point without variation selectors.)
[[nodiscard]] constexpr bool is_printable(std::uint32_t code) noexcept {
  struct range {
    std::uint32_t first, last;
  };
  constexpr range hidden[] = {
      {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},
      {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},
      {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180e, 0x180e},
      {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
      {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd},
      {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe00ff},
  };
  auto const* const at = std::ranges::lower_bound(hidden, code, {}, &range::last);
  return at == std::end(hidden) || code < at->first;
}

/// Room for the longest escape, "\U000e0041".
using escape_room = std::array<char, 10>;

/// The escape of a character: \n \r \t, \x1b for bytes and ASCII, \u202e, \U000e0041.
[[nodiscard]] constexpr std::string_view escape(character c, escape_room& room) noexcept {
  constexpr char digits[] = "0123456789abcdef";
  room[0] = '\\';
  const bool byte = !c.valid || c.code < 0x80;
  if (c.code == '\n' || c.code == '\r' || c.code == '\t') {
    room[1] = c.code == '\n' ? 'n' : c.code == '\r' ? 'r' : 't';
    return {room.data(), 2};
  }
  const std::size_t length = byte ? 2 : c.code > 0xffff ? 8 : 4;
  room[1] = byte ? 'x' : length == 8 ? 'U' : 'u';
  for (std::size_t i = 0; i < length; ++i) {
    room[2 + i] = digits[c.code >> (4 * (length - 1 - i)) & 15];
  }
  return {room.data(), 2 + length};
}

/// Takes a piece off the front of `text`, as it may be shown: a run of printable characters, or the
/// escape of one in `room`.
///
///     while (!text.empty()) put(base::next_printable(text, room));
[[nodiscard]] constexpr std::string_view next_printable(std::string_view& text,
                                                        escape_room& room) noexcept {
  std::size_t end = 0;
  while (end < text.size()) {
    const character c = first_character(text.substr(end));
    if (!c.valid || !is_printable(c.code)) {
      if (end > 0) break;
      text.remove_prefix(c.length);
      return escape(c, room);
    }
    end += c.length;
  }
  const std::string_view run = text.substr(0, end);
  text.remove_prefix(end);
  return run;
}

}  // namespace memprof::base
