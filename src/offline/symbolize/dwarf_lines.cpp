// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_lines.hpp"

#include <elfutils/libdw.h>

namespace memprof::symbolize {

void close_dwarf::operator()(Dwarf* d) const noexcept { dwarf_end(d); }

dwarf_handle open_dwarf(elf_image& image) {
  return dwarf_handle{dwarf_begin_elf(image.handle(), DWARF_C_READ, nullptr)};
}

std::optional<line_position> dwarf_lines::find(std::uint64_t address) {
  Dwarf_Die unit;
  if (!unit_->lines_at || dwarf_offdie(dwarf_, unit_->first, &unit) == nullptr) return std::nullopt;
  Dwarf_Line* const row = dwarf_getsrc_die(&unit, address);
  if (row == nullptr) return std::nullopt;
  int line = 0;
  int column = 0;
  dwarf_lineno(row, &line);
  dwarf_linecol(row, &column);
  return line_position{path(dwarf_linesrc(row, nullptr, nullptr)), static_cast<std::uint32_t>(line),
                       static_cast<std::uint32_t>(column)};
}

std::string_view dwarf_lines::file_name(std::uint64_t number) {
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t n = 0;
  if (!unit_->lines_at || dwarf_offdie(dwarf_, unit_->first, &unit) == nullptr ||
      dwarf_getsrcfiles(&unit, &files, &n) != 0 || number >= n) {
    return {};
  }
  // Numbers begin with 1 before DWARF 5; libdw calls 0 "???".
  if (number == 0 && unit_->version < 5) return {};
  return path(dwarf_filesrc(files, static_cast<std::size_t>(number), nullptr, nullptr));
}

std::string_view dwarf_lines::path(char const* name) {
  if (name == nullptr) return {};
  const auto [at, fresh] = paths_.try_emplace(name);
  if (!fresh) return at->second;
  // libdw 0.188 leaves paths relative that begin with a directory relative to the unit's.
  if (*name != '/' && !unit_->directory.empty()) at->second.append(unit_->directory).append("/");
  return at->second.append(name);
}

}  // namespace memprof::symbolize
