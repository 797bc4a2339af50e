// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_file.hpp"

#include <algorithm>
#include <dwarf.h>

namespace memprof::symbolize {

dwarf_file::dwarf_file(elf_image& image, dwarf_file* alternative, work_budget& budget)
    : sections_{.info = image.section(".debug_info"),
                .abbreviations = image.section(".debug_abbrev"),
                .text = image.section(".debug_str"),
                .line_text = image.section(".debug_line_str"),
                .ranges = image.section(".debug_ranges"),
                .range_lists = image.section(".debug_rnglists"),
                .addresses = image.section(".debug_addr"),
                .string_offsets = image.section(".debug_str_offsets")},
      alternative_{alternative},
      budget_{&budget} {
  begin();
}

dwarf_file::dwarf_file(section_views const& split, dwarf_file& skeletons,
                       dwarf_unit const& skeleton, work_budget& budget)
    : sections_{split}, alternative_{nullptr}, skeleton_{&skeleton}, budget_{&budget} {
  sections_.addresses = skeletons.sections_.addresses;
  // DWARF 4 has lists of ranges in the module alone.
  sections_.ranges = skeletons.sections_.ranges;
  begin();
}

void dwarf_file::begin() {
  // Those of honest files are a few percent of the entries, and are read once.
  abbreviations_budget_ = work_budget{(1 << 20) + sections_.info.size() / 2};
  find_units();
}

void dwarf_file::find_units() {
  byte_reader r{sections_.info};
  // That of an empty file in assembly language has 50 bytes, and is 300 in memory.
  const std::size_t most_units = 1024 + sections_.info.size() / 32;
  while (r.good() && r.left() != 0) {
    dwarf_unit u;
    u.offset = r.position();
    u.offset_bytes = 4;
    std::uint64_t length = r.u32();
    if (length == 0xFFFFFFFF) {
      length = r.u64();
      u.offset_bytes = 8;
    }
    if (!r.good() || length > r.left()) return;
    u.end = r.position() + length;
    u.version = r.u16();
    int type = DW_UT_compile;
    if (u.version >= 5) {
      type = r.u8();
      u.address_bytes = r.u8();
      u.abbreviations_at = r.sized(u.offset_bytes);
    } else {
      u.abbreviations_at = r.sized(u.offset_bytes);
      u.address_bytes = r.u8();
    }
    if (type == DW_UT_skeleton || type == DW_UT_split_compile) u.id = r.u64();
    u.first = r.position();
    const bool readable = u.version >= 2 && u.version <= 5 && u.first <= u.end &&
                          (u.address_bytes == 4 || u.address_bytes == 8) && type != DW_UT_type &&
                          type != DW_UT_split_type;
    if (r.good() && readable) {
      if (units_.size() == most_units) {
        budget_->exhaust();
        return;
      }
      units_.push_back(u);
    }
    r.seek(u.end);
  }
}

dwarf_unit* dwarf_file::unit_at(std::uint64_t offset) noexcept {
  auto after = std::ranges::upper_bound(units_, offset, {}, &dwarf_unit::offset);
  if (after == units_.begin()) return nullptr;
  --after;
  return offset >= after->first && offset < after->end ? &*after : nullptr;
}

dwarf_abbreviations* dwarf_file::abbreviations_of(dwarf_unit& u) {
  if (u.abbreviations == nullptr && !budget_->exhausted()) {
    auto& slot = tables_[{u.abbreviations_at, u.version, u.address_bytes, u.offset_bytes}];
    if (slot == nullptr) {
      slot =
          std::make_unique<dwarf_abbreviations>(sections_.abbreviations, u, abbreviations_budget_);
    }
    u.abbreviations = slot.get();
  }
  return u.abbreviations;
}

bool dwarf_file::nonsense() const noexcept {
  return budget_->exhausted() || abbreviations_budget_.exhausted();
}

void dwarf_file::know(dwarf_unit& u) {
  if (u.known) return;
  u.known = true;
  dwarf_abbreviations* const table = abbreviations_of(u);
  if (table == nullptr) return;
  byte_reader r{sections_.info, u.first};
  r.end_at(u.end);
  dwarf_abbreviation const* const a = table->find(r.uleb());
  if (a == nullptr) return;
  u.tag = a->tag;
  // Bases may come after what they are the base of.
  dwarf_value name;
  dwarf_value directory;
  dwarf_value split_name;
  // Without the attribute: after the header of the first contribution.
  u.string_offsets_base = u.version >= 5 ? (u.offset_bytes == 8 ? 16 : 8) : 0;
  u.address_base = u.version >= 5 ? (u.offset_bytes == 8 ? 16 : 8) : 0;
  u.ranges_base = u.version >= 5 ? (u.offset_bytes == 8 ? 20 : 12) : 0;
  for (dwarf_attribute const& one : table->attributes(*a)) {
    const dwarf_value v = read(r, u, one);
    if (!r.good()) return;
    switch (one.name) {
      case DW_AT_low_pc:
        u.extent.low = v;
        break;
      case DW_AT_high_pc:
        u.extent.high = v;
        break;
      case DW_AT_ranges:
        u.extent.ranges = v;
        break;
      case DW_AT_name:
        name = v;
        break;
      case DW_AT_comp_dir:
        directory = v;
        break;
      case DW_AT_dwo_name:
      case DW_AT_GNU_dwo_name:
        split_name = v;
        break;
      case DW_AT_GNU_dwo_id:
        u.id = v.number;
        break;
      case DW_AT_language:
        u.language = v.number;
        break;
      case DW_AT_stmt_list:
        u.lines_at = v.number;
        break;
      case DW_AT_str_offsets_base:
        u.string_offsets_base = v.number;
        break;
      case DW_AT_addr_base:
      case DW_AT_GNU_addr_base:
        u.address_base = v.number;
        break;
      case DW_AT_rnglists_base:
      case DW_AT_GNU_ranges_base:
        u.ranges_base = v.number;
        break;
      default:
        break;
    }
  }
  u.name = text(u, name);
  u.directory = text(u, directory);
  if (skeleton_ != nullptr) {
    u.address_base = skeleton_->address_base;
    u.old_ranges_base = skeleton_->ranges_base;
    u.low = skeleton_->low;
    return;
  }
  u.split_name = text(u, split_name);
  u.low = address(u, u.extent.low).value_or(0);
}

void dwarf_file::children(std::uint64_t offset,
                          std::function<bool(std::uint64_t, std::uint32_t)> const& f) {
  dwarf_unit* const u = unit_at(offset);
  dwarf_abbreviations* const table = u != nullptr ? abbreviations_of(*u) : nullptr;
  if (table == nullptr) return;
  byte_reader r{sections_.info, offset};
  r.end_at(u->end);
  // The entry itself is on level 0.
  for (std::size_t level = 0; r.good();) {
    const std::uint64_t at = r.position();
    const std::uint64_t code = r.uleb();
    if (code == 0) {
      if (level-- <= 1) break;
      continue;
    }
    dwarf_abbreviation const* const a = table->find(code);
    if (a == nullptr || (level == 1 && !f(at, a->tag))) break;
    std::uint64_t sibling = 0;
    for (dwarf_attribute const& one : table->attributes(*a)) {
      const dwarf_value v = read(r, *u, one);
      if (one.name == DW_AT_sibling) sibling = v.number;
    }
    if (!budget_->spend(r.position() - at)) break;
    if (level > 0 && sibling > r.position()) {
      r.seek(sibling);
    } else if (a->children) {
      ++level;
    } else if (level == 0) {
      break;
    }
  }
}

}  // namespace memprof::symbolize
