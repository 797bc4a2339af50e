// SPDX-License-Identifier: MIT
#include <dwarf.h>

#include "symbolize/dwarf_file.hpp"

namespace memprof::symbolize {
namespace {

constexpr std::uint64_t longest_text = 1 << 16;  // a name is not 64 KiB long

std::string_view text_at(bytes_view section, std::uint64_t offset) noexcept {
  if (offset >= section.size()) return {};
  const std::uint64_t left = section.size() - offset;
  return byte_reader{section.subspan(offset, left < longest_text ? left : longest_text)}.text();
}

}  // namespace

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
