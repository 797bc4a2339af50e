// SPDX-License-Identifier: MIT
/// \file
/// The code that an entry covers: DW_AT_low_pc and DW_AT_high_pc, .debug_ranges, .debug_rnglists.
#pragma once

#include <cstdint>
#include <vector>

#include "symbolize/dwarf_file.hpp"

namespace memprof::symbolize {

struct address_range {
  std::uint64_t low, high;
};

/// Puts the ranges into `out`, which is emptied before. `file`'s budget bounds them.
void read_ranges(dwarf_file& file, dwarf_unit const& u, dwarf_extent const& e,
                 std::vector<address_range>& out);

}  // namespace memprof::symbolize
