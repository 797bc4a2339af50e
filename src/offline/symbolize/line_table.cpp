// SPDX-License-Identifier: MIT
#include "symbolize/line_table.hpp"

#include <array>
#include <dwarf.h>

namespace memprof::symbolize {
namespace {

/// Of a row while the table is read: a link of a list, and its place in the table. Measured with
/// libdw 0.188.
constexpr std::uint64_t bytes_of_row = 128;
/// Of an entry of the header, which has a byte at least.
constexpr std::uint64_t bytes_of_entry = 48;

}  // namespace

/// DWARF 2 to 5, "Line Number Information": the header, and a program of opcodes.
std::uint64_t memory_of_line_table(bytes_view lines, std::uint64_t at) noexcept {
  byte_reader r{lines, at};
  unsigned offset_bytes = 4;
  std::uint64_t length = r.u32();
  if (length == 0xFFFFFFFF) {
    length = r.u64();
    offset_bytes = 8;
  }
  if (!r.good() || length > r.left()) return 0;  // libdw does not read it either
  r.end_at(r.position() + length);
  const std::uint16_t version = r.u16();
  if (version >= 5) r.skip(2);
  const std::uint64_t header = r.sized(offset_bytes);
  const std::uint64_t begin = r.position();
  if (!r.good() || header > r.left()) return 0;
  r.skip(version >= 4 ? 5 : 4);
  const std::uint8_t first_special = r.u8();
  std::array<std::uint8_t, 256> operands{};
  for (unsigned i = 1; i < first_special; ++i) operands[i] = r.u8();
  r.seek(begin + header);
  std::uint64_t rows = 0, entries = header;
  while (r.good() && r.left() != 0) {
    const std::uint8_t opcode = r.u8();
    if (opcode >= first_special && opcode != 0) {
      ++rows;
    } else if (opcode == 0) {
      const std::uint64_t bytes = r.uleb();
      const std::uint64_t next = r.position() + bytes;
      if (bytes == 0 || bytes > r.left()) break;
      const std::uint8_t what = r.u8();
      if (what == DW_LNE_end_sequence) ++rows;
      if (what == DW_LNE_define_file) ++entries;
      r.seek(next);
    } else if (opcode == DW_LNS_fixed_advance_pc) {
      r.skip(2);
    } else {
      if (opcode == DW_LNS_copy) ++rows;
      for (unsigned i = 0; i < operands[opcode]; ++i) r.uleb();
    }
  }
  return length + rows * bytes_of_row + entries * bytes_of_entry;
}

bool line_tables::may_read(std::uint64_t at) {
  const auto [known, fresh] = known_.try_emplace(at, false);
  if (!fresh || refused_) return known->second;
  const std::uint64_t memory = memory_of_line_table(lines_, at);
  refused_ = memory > left_ || !all_->take(memory);
  if (!refused_) left_ -= memory;
  return known->second = !refused_;
}

}  // namespace memprof::symbolize
