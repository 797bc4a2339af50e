// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_lines.hpp"

#include <algorithm>
#include <dwarf.h>

namespace memprof::symbolize {

struct dwarf_lines::header {
  std::uint16_t version = 0;
  std::uint8_t offset_bytes = 4;
  std::uint8_t address_bytes = 8;
  std::uint8_t minimum_instruction = 1;
  std::uint8_t operations = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::uint8_t operands[256] = {};
  std::uint64_t program = 0;
  std::uint64_t end = 0;
};

dwarf_lines::dwarf_lines(dwarf_file& file, dwarf_unit const& u, elf_image const& code)
    : file_{&file}, unit_{&u}, unit_directory_{u.directory} {
  if (!u.lines_at) return;
  byte_reader r{file.sections().lines, *u.lines_at};
  header h;
  h.address_bytes = u.address_bytes;
  if (!read_header(r, h)) return;
  r.seek(h.program);
  r.end_at(h.end);
  if (file.budget().spend(h.end - *u.lines_at)) run(r, h, code);
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    by_address_.add(rows_[sequences_[i].first].address, rows_[sequences_[i].last].address,
                    static_cast<std::uint32_t>(i));
  }
  by_address_.finish();
}

bool dwarf_lines::read_header(byte_reader& r, header& h) {
  std::uint64_t length = r.u32();
  if (length == 0xFFFFFFFF) {
    length = r.u64();
    h.offset_bytes = 8;
  }
  if (!r.good() || length > r.left()) return false;
  h.end = r.position() + length;
  r.end_at(h.end);
  h.version = r.u16();
  if (h.version < 2 || h.version > 5) return false;
  if (h.version >= 5) {
    h.address_bytes = r.u8();
    r.u8();  // of a segment selector
  }
  const std::uint64_t header_length = r.sized(h.offset_bytes);
  if (!r.good() || header_length > r.left()) return false;
  h.program = r.position() + header_length;
  h.minimum_instruction = r.u8();
  h.operations = h.version >= 4 ? r.u8() : 1;
  r.u8();  // default_is_stmt
  h.line_base = static_cast<std::int8_t>(r.u8());
  h.line_range = r.u8();
  h.opcode_base = r.u8();
  for (unsigned i = 1; i < h.opcode_base; ++i) h.operands[i] = r.u8();
  if (!r.good() || h.line_range == 0 || h.opcode_base == 0) return false;
  if (h.operations == 0) h.operations = 1;
  if (h.version >= 5) {
    first_file_ = 0;
    std::vector<file_entry> directories;
    read_table(r, h, directories);
    for (file_entry const& d : directories) directories_.push_back(d.name);
    read_table(r, h, files_);
  } else {
    directories_.push_back(unit_directory_);
    read_old_tables(r);
  }
  return true;
}

void dwarf_lines::read_old_tables(byte_reader& r) {
  for (std::string_view name = r.text(); !name.empty(); name = r.text()) {
    directories_.push_back(name);
  }
  for (std::string_view name = r.text(); !name.empty(); name = r.text()) {
    const std::uint64_t directory = r.uleb();
    r.uleb();  // when it was changed
    r.uleb();  // how long it is
    files_.push_back({name, directory});
  }
}

void dwarf_lines::read_table(byte_reader& r, header const& h, std::vector<file_entry>& out) {
  std::vector<dwarf_attribute> format;
  for (unsigned n = r.u8(); n > 0; --n) {
    const std::uint64_t content = r.uleb();
    const std::uint64_t form = r.uleb();
    dwarf_attribute a;
    a.name = static_cast<std::uint16_t>(content > 0xFFFF ? 0xFFFF : content);
    a.form = static_cast<std::uint16_t>(form > 0xFFFF ? 0xFFFF : form);
    format.push_back(a);
  }
  dwarf_unit shape = *unit_;
  shape.offset_bytes = h.offset_bytes;
  shape.version = h.version;
  const std::uint64_t n = r.uleb();
  for (std::uint64_t i = 0; i < n && r.good() && !format.empty(); ++i) {
    file_entry e;
    const std::uint64_t before = r.position();
    for (dwarf_attribute const& a : format) {
      dwarf_value v = file_->read(r, shape, a);
      if (a.name == DW_LNCT_path && v.form == DW_FORM_string) {
        // Its text lies here, not in .debug_info.
        e.name = byte_reader{file_->sections().lines, v.number}.text();
      } else if (a.name == DW_LNCT_path) {
        e.name = file_->text(shape, v);
      } else if (a.name == DW_LNCT_directory_index) {
        e.directory = v.number;
      }
    }
    if (!r.good() || r.position() == before) return;
    out.push_back(e);
  }
}

void dwarf_lines::end_sequence(std::size_t first, std::uint64_t end, elf_image const& code) {
  const bool empty = first == rows_.size();
  rows_.push_back({end, {}});
  const auto in_order = [](row const& a, row const& b) { return a.address < b.address; };
  const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(first);
  if (!empty && !std::is_sorted(from, rows_.end() - 1, in_order)) {
    std::stable_sort(from, rows_.end() - 1, in_order);
  }
  if (empty || from->address >= end || !code.executable(from->address)) {
    rows_.resize(first);
    return;
  }
  sequences_.push_back(
      {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(rows_.size() - 1)});
}

void dwarf_lines::run(byte_reader& r, header const& h, elf_image const& code) {
  row now{};
  std::uint64_t operation = 0;
  std::size_t first = 0;
  const auto reset = [&] {
    now = {0, {.file = 1, .line = 1, .column = 0}};
    operation = 0;
    first = rows_.size();
  };
  const auto advance = [&](std::uint64_t by) {
    if (h.operations == 1) {
      now.address += by * h.minimum_instruction;
      return;
    }
    const std::uint64_t to = operation + by;
    now.address += to / h.operations * h.minimum_instruction;
    operation = to % h.operations;
  };
  const auto append = [&] {
    // Of several rows at an address the last counts.
    if (rows_.size() > first && rows_.back().address == now.address)
      rows_.back() = now;
    else
      rows_.push_back(now);
  };
  rows_.reserve(r.left() / 3);
  reset();
  while (r.good() && r.left() != 0) {
    const std::uint8_t op = r.u8();
    if (op >= h.opcode_base) {
      const unsigned adjusted = op - h.opcode_base;
      advance(adjusted / h.line_range);
      now.position.line += static_cast<std::uint32_t>(
          h.line_base + static_cast<std::int32_t>(adjusted % h.line_range));
      append();
      continue;
    }
    switch (op) {
      case 0: {
        const std::uint64_t length = r.uleb();
        if (length == 0 || length > r.left()) break;
        const std::uint64_t next = r.position() + length;
        switch (r.u8()) {
          case DW_LNE_end_sequence:
            end_sequence(first, now.address, code);
            reset();
            break;
          case DW_LNE_set_address:
            now.address = r.sized(static_cast<unsigned>(std::min<std::uint64_t>(length - 1, 16)));
            operation = 0;
            break;
          default:
            break;
        }
        r.seek(next);
        break;
      }
      case DW_LNS_copy:
        append();
        break;
      case DW_LNS_advance_pc:
        advance(r.uleb());
        break;
      case DW_LNS_advance_line:
        now.position.line += static_cast<std::uint32_t>(r.sleb());
        break;
      case DW_LNS_set_file:
        now.position.file = static_cast<std::uint32_t>(r.uleb());
        break;
      case DW_LNS_set_column:
        now.position.column = static_cast<std::uint32_t>(r.uleb());
        break;
      case DW_LNS_const_add_pc:
        advance((255U - h.opcode_base) / h.line_range);
        break;
      case DW_LNS_fixed_advance_pc:
        now.address += r.u16();
        operation = 0;
        break;
      case DW_LNS_negate_stmt:
      case DW_LNS_set_basic_block:
      case DW_LNS_set_prologue_end:
      case DW_LNS_set_epilogue_begin:
        break;
      case DW_LNS_set_isa:
        r.uleb();
        break;
      default:
        for (unsigned i = h.operands[op]; i > 0; --i) r.uleb();
    }
  }
  rows_.resize(first);  // a sequence without an end has no last address
}

std::optional<line_position> dwarf_lines::find(std::uint64_t address) const noexcept {
  const std::optional<std::uint32_t> index = by_address_.find(address);
  if (!index) return std::nullopt;
  const sequence s = sequences_[*index];
  const auto from = rows_.begin() + s.first;
  const auto after = std::upper_bound(from, rows_.begin() + s.last, address,
                                      [](std::uint64_t a, row const& r) { return a < r.address; });
  return after == from ? std::nullopt : std::optional{(after - 1)->position};
}

std::string dwarf_lines::file_name(std::uint64_t number) const {
  if (number - first_file_ >= files_.size()) return {};
  file_entry const& e = files_[number - first_file_];
  if (e.name.starts_with('/')) return std::string{e.name};
  std::string path;
  const auto append = [&](std::string_view part) {
    if (part.empty()) return;
    if (part.starts_with('/')) path.clear();
    if (!path.empty() && path.back() != '/') path += '/';
    path += part;
  };
  append(unit_directory_);
  if (e.directory < directories_.size() && (e.directory != 0 || first_file_ == 0)) {
    append(directories_[e.directory]);
  }
  append(e.name);
  return path;
}

}  // namespace memprof::symbolize
