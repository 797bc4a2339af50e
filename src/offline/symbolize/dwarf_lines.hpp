// SPDX-License-Identifier: MIT
/// \file
/// The line table of a unit, by libdw: from an address to a file, a line and a column.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "symbolize/dwarf_file.hpp"

struct Dwarf;

namespace memprof::symbolize {

struct close_dwarf {
  void operator()(Dwarf* d) const noexcept;
};
/// libdw's view of an image, which outlives it. Null: libdw cannot read the image.
using dwarf_handle = std::unique_ptr<Dwarf, close_dwarf>;
dwarf_handle open_dwarf(elf_image& image);

///  - `file`: empty: not known.
struct line_position {
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The views live as long as this.
class dwarf_lines {
 public:
  /// `dwarf` may be null: there are no lines then. libdw takes what memory it needs: ask first
  /// whether the unit's table may be read (line_tables).
  dwarf_lines(Dwarf* dwarf, dwarf_unit const& u) : dwarf_{dwarf}, unit_{&u} {}

  [[nodiscard]] std::optional<line_position> find(std::uint64_t address);
  /// The path of the file that DW_AT_call_file means by this number; empty: none.
  [[nodiscard]] std::string_view file_name(std::uint64_t number);

 private:
  std::string_view path(char const* name);

  Dwarf* dwarf_;
  dwarf_unit const* unit_;
  std::unordered_map<char const*, std::string> paths_;  // by libdw's text
};

}  // namespace memprof::symbolize
