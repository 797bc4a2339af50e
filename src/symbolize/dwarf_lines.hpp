// SPDX-License-Identifier: MIT
/// \file
/// The line table of a unit: from an address to a file, a line and a column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/dwarf_file.hpp"
#include "symbolize/range_map.hpp"

namespace memprof::symbolize {

struct line_position {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// DWARF 2 to 5. Of a program that makes no sense the rows before that place are kept.
class dwarf_lines {
 public:
  /// `code`: what addresses code can have; other sequences are of functions that the linker left
  /// out.
  dwarf_lines(dwarf_file& file, dwarf_unit const& u, elf_image const& code);

  [[nodiscard]] std::optional<line_position> find(std::uint64_t address) const noexcept;
  /// The path of a file that rows and DW_AT_call_file mean by this number; empty: none.
  [[nodiscard]] std::string file_name(std::uint64_t number) const;

 private:
  struct row {
    std::uint64_t address;
    line_position position;
  };
  struct sequence {
    std::uint32_t first, last;  // rows, in the order of their addresses
  };
  struct file_entry {
    std::string_view name;
    std::uint64_t directory = 0;
  };
  struct header;
  bool read_header(byte_reader& r, header& h);
  void read_old_tables(byte_reader& r);
  void read_table(byte_reader& r, header const& h, std::vector<file_entry>& out);
  void run(byte_reader& r, header const& h, elf_image const& code);
  void end_sequence(std::size_t first, std::uint64_t end, elf_image const& code);

  dwarf_file* file_;
  dwarf_unit const* unit_;
  std::string_view unit_directory_;
  std::uint64_t first_file_ = 1;
  std::vector<std::string_view> directories_;
  std::vector<file_entry> files_;
  std::vector<row> rows_;
  std::vector<sequence> sequences_;
  range_map by_address_;
};

}  // namespace memprof::symbolize
