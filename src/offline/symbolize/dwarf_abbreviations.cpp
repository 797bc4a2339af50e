// SPDX-License-Identifier: MIT
#include <algorithm>
#include <dwarf.h>

#include "symbolize/dwarf_file.hpp"

namespace memprof::symbolize {
namespace {

/// Entries of honest compilers have twenty.
constexpr std::uint32_t most_attributes = 512;

}  // namespace

dwarf_abbreviations::dwarf_abbreviations(bytes_view section, dwarf_unit const& shape,
                                         work_budget& budget)
    : budget_{&budget},
      rest_{section, shape.abbreviations_at},
      version_{shape.version},
      address_bytes_{shape.address_bytes},
      offset_bytes_{shape.offset_bytes} {}

dwarf_abbreviation const* dwarf_abbreviations::find_slowly(std::uint64_t code) {
  while (!complete_) {
    complete_ = !read_next();
    if (code - 1 < in_order_) return &all_[code - 1];
    const auto from = all_.begin() + static_cast<std::ptrdiff_t>(in_order_);
    if (complete_) std::ranges::stable_sort(from, all_.end(), {}, &dwarf_abbreviation::code);
  }
  const auto from = all_.begin() + static_cast<std::ptrdiff_t>(in_order_);
  const auto at = std::ranges::lower_bound(from, all_.end(), code, {}, &dwarf_abbreviation::code);
  return at != all_.end() && at->code == code ? &*at : nullptr;
}

bool dwarf_abbreviations::read_next() {
  byte_reader& r = rest_;
  const std::uint64_t begin = r.position();
  dwarf_unit shape;
  shape.version = version_;
  shape.address_bytes = address_bytes_;
  shape.offset_bytes = offset_bytes_;
  dwarf_abbreviation a;
  a.code = r.uleb();
  if (a.code == 0) return false;
  a.tag = static_cast<std::uint32_t>(r.uleb());
  a.children = r.u8() != 0;
  a.first = static_cast<std::uint32_t>(attributes_.size());
  a.fixed_bytes = 0;
  for (; r.good(); ++a.count) {
    dwarf_attribute one;
    const std::uint64_t name = r.uleb();
    const std::uint64_t form = r.uleb();
    if (form == DW_FORM_implicit_const) one.implicit = r.sleb();
    if (name == 0 && form == 0) break;
    if (a.count == most_attributes) return false;
    one.name = static_cast<std::uint16_t>(name > 0xFFFF ? 0xFFFF : name);
    one.form = static_cast<std::uint16_t>(form > 0xFFFF ? 0xFFFF : form);
    const std::int32_t size = fixed_size(one.form, shape);
    a.fixed_bytes = size < 0 || a.fixed_bytes < 0 ? -1 : a.fixed_bytes + size;
    if (size == 1 || size == 2 || size == 4 || size == 8) {
      one.bytes = static_cast<std::uint8_t>(size);
      one.relative = one.form == DW_FORM_ref1 || one.form == DW_FORM_ref2 ||
                     one.form == DW_FORM_ref4 || one.form == DW_FORM_ref8;
    }
    attributes_.push_back(one);
  }
  // Units may have tables that begin at different bytes of one.
  if (!r.good() || !budget_->spend(r.position() - begin)) return false;
  all_.push_back(a);
  if (in_order_ + 1 == all_.size() && a.code == all_.size()) in_order_ = all_.size();
  return true;
}

}  // namespace memprof::symbolize
