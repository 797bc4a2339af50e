// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_file.hpp"

#include <algorithm>
#include <dwarf.h>

namespace memprof::symbolize {
namespace {

/// Entries of honest compilers have twenty; and a name is not 64 KiB long.
constexpr std::uint32_t most_attributes = 512;
constexpr std::uint64_t longest_text = 1 << 16;

/// Bytes of a value of this form; -1 if that depends on the value.
std::int32_t fixed_size(std::uint16_t form, dwarf_unit const& u) noexcept {
  switch (form) {
    case DW_FORM_implicit_const:
    case DW_FORM_flag_present:
      return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return 8;
    case DW_FORM_data16:
      return 16;
    case DW_FORM_addr:
      return u.address_bytes;
    case DW_FORM_ref_addr:
      return u.version <= 2 ? u.address_bytes : u.offset_bytes;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return u.offset_bytes;
    default:
      return -1;
  }
}

std::string_view text_at(bytes_view section, std::uint64_t offset) noexcept {
  if (offset >= section.size()) return {};
  const std::uint64_t left = section.size() - offset;
  return byte_reader{section.subspan(offset, left < longest_text ? left : longest_text)}.text();
}

}  // namespace

dwarf_abbreviations::dwarf_abbreviations(bytes_view section, dwarf_unit const& shape)
    : rest_{section, shape.abbreviations_at},
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
  if (!r.good()) return false;
  all_.push_back(a);
  if (in_order_ + 1 == all_.size() && a.code == all_.size()) in_order_ = all_.size();
  return true;
}

dwarf_file::dwarf_file(elf_image& image, dwarf_file* alternative, work_budget& budget)
    : sections_{.info = image.section(".debug_info"),
                .abbreviations = image.section(".debug_abbrev"),
                .text = image.section(".debug_str"),
                .line_text = image.section(".debug_line_str"),
                .lines = image.section(".debug_line"),
                .ranges = image.section(".debug_ranges"),
                .range_lists = image.section(".debug_rnglists"),
                .addresses = image.section(".debug_addr"),
                .string_offsets = image.section(".debug_str_offsets")},
      alternative_{alternative},
      budget_{&budget} {
  find_units();
}

void dwarf_file::find_units() {
  byte_reader r{sections_.info};
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
    if (type == DW_UT_skeleton || type == DW_UT_split_compile) r.u64();  // its id
    u.first = r.position();
    const bool readable = u.version >= 2 && u.version <= 5 && u.first <= u.end &&
                          (u.address_bytes == 4 || u.address_bytes == 8) && type != DW_UT_type &&
                          type != DW_UT_split_type;
    if (r.good() && readable) units_.push_back(u);
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
      slot = std::make_unique<dwarf_abbreviations>(sections_.abbreviations, u);
    }
    u.abbreviations = slot.get();
  }
  return u.abbreviations;
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
  dwarf_value directory;
  // Without the attribute: after the header of the first contribution.
  u.string_offsets_base = u.offset_bytes == 8 ? 16 : 8;
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
      case DW_AT_comp_dir:
        directory = v;
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
  u.directory = text(u, directory);
  u.low = address(u, u.extent.low).value_or(0);
}

dwarf_value dwarf_file::read_slowly(byte_reader& r, dwarf_unit const& u,
                                    dwarf_attribute const& a) const noexcept {
  dwarf_value v{a.form, 0};
  for (bool again = true; again;) {
    again = false;
    switch (v.form) {
      case DW_FORM_implicit_const:
        v.number = static_cast<std::uint64_t>(a.implicit);
        break;
      case DW_FORM_flag_present:
        v.number = 1;
        break;
      case DW_FORM_ref1:
      case DW_FORM_ref2:
      case DW_FORM_ref4:
      case DW_FORM_ref8:
        v.number = in_unit(u, r.sized(static_cast<unsigned>(fixed_size(v.form, u))));
        break;
      case DW_FORM_ref_udata:
        v.number = in_unit(u, r.uleb());
        break;
      case DW_FORM_strx3:
      case DW_FORM_addrx3:
        v.number = r.u24();
        break;
      case DW_FORM_data16:
        r.skip(16);
        break;
      case DW_FORM_string:
        v.number = r.position();
        r.text();
        break;
      case DW_FORM_sdata:
        v.number = static_cast<std::uint64_t>(r.sleb());
        break;
      case DW_FORM_udata:
      case DW_FORM_strx:
      case DW_FORM_addrx:
      case DW_FORM_loclistx:
      case DW_FORM_rnglistx:
      case DW_FORM_GNU_addr_index:
      case DW_FORM_GNU_str_index:
        v.number = r.uleb();
        break;
      case DW_FORM_block1:
        r.skip(r.u8());
        break;
      case DW_FORM_block2:
        r.skip(r.u16());
        break;
      case DW_FORM_block4:
        r.skip(r.u32());
        break;
      case DW_FORM_block:
      case DW_FORM_exprloc:
        r.skip(r.uleb());
        break;
      case DW_FORM_indirect:
        v.form = static_cast<std::uint16_t>(r.uleb());
        again = r.good() && v.form != DW_FORM_implicit_const;
        break;
      default: {
        const std::int32_t size = fixed_size(v.form, u);
        size < 0 ? r.fail() : void(v.number = r.sized(static_cast<unsigned>(size)));
        break;
      }
    }
  }
  return v;
}

std::string_view dwarf_file::text(dwarf_unit const& u, dwarf_value v) const noexcept {
  switch (v.form) {
    case DW_FORM_string:
      return text_at(sections_.info, v.number);
    case DW_FORM_strp:
      return text_at(sections_.text, v.number);
    case DW_FORM_line_strp:
      return text_at(sections_.line_text, v.number);
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
      return alternative_ != nullptr ? text_at(alternative_->sections_.text, v.number)
                                     : std::string_view{};
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index: {
      if (v.number > sections_.string_offsets.size()) return {};
      byte_reader r{sections_.string_offsets, u.string_offsets_base};
      r.skip(v.number * u.offset_bytes);
      const std::uint64_t offset = r.sized(u.offset_bytes);
      return r.good() ? text_at(sections_.text, offset) : std::string_view{};
    }
    default:
      return {};
  }
}

std::optional<std::uint64_t> dwarf_file::indexed_address(dwarf_unit const& u,
                                                         std::uint64_t index) const noexcept {
  if (index > sections_.addresses.size()) return std::nullopt;
  byte_reader r{sections_.addresses, u.address_base};
  r.skip(index * u.address_bytes);
  const std::uint64_t a = r.sized(u.address_bytes);
  return r.good() ? std::optional{a} : std::nullopt;
}

std::optional<std::uint64_t> dwarf_file::address(dwarf_unit const& u,
                                                 dwarf_value v) const noexcept {
  switch (v.form) {
    case DW_FORM_addr:
      return v.number;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
      return indexed_address(u, v.number);
    default:
      return std::nullopt;
  }
}

dwarf_entry dwarf_file::referred(dwarf_value v) noexcept {
  switch (v.form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
    case DW_FORM_ref_addr:
      return {this, v.number};
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8:
    case DW_FORM_GNU_ref_alt:
      return {alternative_, v.number};
    default:
      return {};
  }
}

}  // namespace memprof::symbolize
