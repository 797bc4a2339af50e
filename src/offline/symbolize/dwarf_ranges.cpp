// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_ranges.hpp"

#include <dwarf.h>

namespace memprof::symbolize {
namespace {

/// DWARF 2 to 4.
void read_old_list(dwarf_file& file, dwarf_unit const& u, std::uint64_t offset,
                   std::vector<address_range>& out) {
  byte_reader r{file.sections().ranges, offset};
  const std::uint64_t largest = u.address_bytes == 8 ? ~std::uint64_t{0} : 0xFFFFFFFF;
  std::uint64_t base = u.low;
  while (file.budget().spend(2U * u.address_bytes)) {
    const std::uint64_t low = r.sized(u.address_bytes);
    const std::uint64_t high = r.sized(u.address_bytes);
    if (!r.good() || (low == 0 && high == 0)) return;
    if (low == largest) {
      base = high;
    } else {
      out.push_back({base + low, base + high});
    }
  }
}

void read_list(dwarf_file& file, dwarf_unit const& u, std::uint64_t offset,
               std::vector<address_range>& out) {
  byte_reader r{file.sections().range_lists, offset};
  std::uint64_t base = u.low;
  const auto indexed = [&](std::uint64_t index) {
    return file.indexed_address(u, index).value_or(0);
  };
  while (file.budget().spend(2)) {
    const std::uint8_t kind = r.u8();
    if (!r.good()) return;
    std::uint64_t low = 0;
    switch (kind) {
      case DW_RLE_base_addressx:
        base = indexed(r.uleb());
        continue;
      case DW_RLE_base_address:
        base = r.sized(u.address_bytes);
        continue;
      case DW_RLE_startx_endx:
        low = indexed(r.uleb());
        out.push_back({low, indexed(r.uleb())});
        break;
      case DW_RLE_startx_length:
        low = indexed(r.uleb());
        out.push_back({low, low + r.uleb()});
        break;
      case DW_RLE_offset_pair:
        low = base + r.uleb();
        out.push_back({low, base + r.uleb()});
        break;
      case DW_RLE_start_end:
        low = r.sized(u.address_bytes);
        out.push_back({low, r.sized(u.address_bytes)});
        break;
      case DW_RLE_start_length:
        low = r.sized(u.address_bytes);
        out.push_back({low, low + r.uleb()});
        break;
      default:
        return;  // DW_RLE_end_of_list, and unknown entries
    }
    if (!r.good()) {
      out.pop_back();
      return;
    }
  }
}

}  // namespace

void read_ranges(dwarf_file& file, dwarf_unit const& u, dwarf_extent const& e,
                 std::vector<address_range>& out) {
  out.clear();
  if (e.ranges) {
    std::uint64_t offset = e.ranges.number;
    if (e.ranges.form == DW_FORM_rnglistx) {
      if (offset > file.sections().range_lists.size()) return;
      byte_reader r{file.sections().range_lists, u.ranges_base};
      r.skip(offset * u.offset_bytes);
      offset = u.ranges_base + r.sized(u.offset_bytes);
      if (!r.good()) return;
    }
    u.version >= 5 ? read_list(file, u, offset, out)
                   : read_old_list(file, u, u.old_ranges_base + offset, out);
    return;
  }
  const std::optional<std::uint64_t> low = file.address(u, e.low);
  if (!low || !e.high) return;
  // An address, or the length.
  const std::optional<std::uint64_t> end = file.address(u, e.high);
  out.push_back({*low, end ? *end : *low + e.high.number});
}

}  // namespace memprof::symbolize
