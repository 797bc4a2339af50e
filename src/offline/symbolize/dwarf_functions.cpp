// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_functions.hpp"

#include <algorithm>
#include <dwarf.h>

namespace memprof::symbolize {
namespace {

/// No real source code nests deeper; the rest of such a unit is not read.
constexpr std::size_t deepest = 1 << 14;

/// Nothing below such entries has code, so their children are jumped over.
bool without_code(std::uint32_t tag) noexcept {
  switch (tag) {
    case DW_TAG_array_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_subroutine_type:
    case DW_TAG_formal_parameter:
    case DW_TAG_variable:
    case DW_TAG_call_site:
    case DW_TAG_GNU_call_site:
    case DW_TAG_GNU_formal_parameter_pack:
    case DW_TAG_GNU_template_parameter_pack:
      return true;
    default:
      return false;
  }
}

}  // namespace

dwarf_functions::dwarf_functions(dwarf_file& file, dwarf_unit& u, elf_image const& code)
    : file_{&file} {
  file.know(u);
  dwarf_abbreviations* const table = file.abbreviations_of(u);
  if (table == nullptr || !file.budget().spend(u.end - u.first)) return;
  byte_reader r{file.sections().info, u.first};
  r.end_at(u.end);
  // The function around the current entry, for each level.
  std::vector<std::uint32_t> enclosing{none};
  while (r.good() && r.left() != 0) {
    const std::uint64_t offset = r.position();
    const std::uint64_t abbreviation = r.uleb();
    if (abbreviation == 0) {
      enclosing.pop_back();
      if (enclosing.empty()) break;
      continue;
    }
    dwarf_abbreviation const* const a = table->find(abbreviation);
    if (a == nullptr) break;
    if (a->count > 64 && !file.budget().spend(a->count)) break;
    std::uint32_t inside = enclosing.back();
    if (a->tag == DW_TAG_subprogram || a->tag == DW_TAG_inlined_subroutine) {
      const std::size_t before = all_.size();
      read(r, u, table->attributes(*a), a->tag == DW_TAG_inlined_subroutine, inside, code);
      if (all_.size() != before) all_.back().offset = offset;
    } else if (a->children && without_code(a->tag)) {
      std::uint64_t sibling = 0;
      for (dwarf_attribute const& one : table->attributes(*a)) {
        const dwarf_value v = file.read(r, u, one);
        if (one.name == DW_AT_sibling) sibling = v.number;
      }
      if (sibling > r.position()) {
        r.seek(sibling);
        continue;
      }
    } else if (a->fixed_bytes >= 0) {
      r.skip(static_cast<std::uint64_t>(a->fixed_bytes));
    } else {
      for (dwarf_attribute const& one : table->attributes(*a)) file.read(r, u, one);
    }
    if (!a->children) continue;
    if (enclosing.size() >= deepest) break;
    enclosing.push_back(inside);
  }
  by_address_.finish();
}

void dwarf_functions::read(byte_reader& r, dwarf_unit const& u,
                           std::span<dwarf_attribute const> attributes, bool inlined,
                           std::uint32_t& enclosing, elf_image const& code) {
  function f;
  if (inlined)
    f.outer = enclosing;
  else
    enclosing = none;
  dwarf_extent extent;
  for (dwarf_attribute const& one : attributes) {
    const dwarf_value v = file_->read(r, u, one);
    switch (one.name) {
      case DW_AT_low_pc:
        extent.low = v;
        break;
      case DW_AT_high_pc:
        extent.high = v;
        break;
      case DW_AT_ranges:
        extent.ranges = v;
        break;
      case DW_AT_call_file:
        f.call_file = static_cast<std::uint32_t>(v.number);
        break;
      case DW_AT_call_line:
        f.call_line = static_cast<std::uint32_t>(v.number);
        break;
      case DW_AT_call_column:
        f.call_column = static_cast<std::uint32_t>(v.number);
        break;
      default:
        break;
    }
  }
  if (!r.good() || !extent || all_.size() >= none) return;
  read_ranges(*file_, u, extent, ranges_);
  // What the linker left out lies at 0, or nowhere.
  std::erase_if(ranges_, [&](address_range const& x) { return !code.executable(x.low); });
  if (ranges_.empty()) return;
  f.low = ranges_.front().low;
  enclosing = static_cast<std::uint32_t>(all_.size());
  for (address_range const& x : ranges_) by_address_.add(x.low, x.high, enclosing);
  all_.push_back(f);
}

}  // namespace memprof::symbolize
