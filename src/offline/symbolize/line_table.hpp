// SPDX-License-Identifier: MIT
/// \file
/// What a line table would take, before libdw reads it.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "symbolize/byte_reader.hpp"
#include "symbolize/memory_budget.hpp"

namespace memprof::symbolize {

/// About the bytes of memory in which libdw keeps the line table at this place of .debug_line. A
/// byte may be a row, of which libdw makes more than a hundred.
[[nodiscard]] std::uint64_t memory_of_line_table(bytes_view lines, std::uint64_t at) noexcept;

/// Which tables of a module libdw may read.
class line_tables {
 public:
  /// \param lines .debug_line; outlives this, as `all` does.
  /// \param most memory for all tables together.
  line_tables(bytes_view lines, std::uint64_t most, memory_budget& all) noexcept
      : lines_{lines}, left_{most}, all_{&all} {}

  /// Of the table at this place. It is the same for each question.
  [[nodiscard]] bool may_read(std::uint64_t at);
  /// There was no memory for a table: no other is read any more.
  [[nodiscard]] bool refused() const noexcept { return refused_; }

 private:
  bytes_view lines_;
  std::uint64_t left_;
  memory_budget* all_;
  bool refused_ = false;
  std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace memprof::symbolize
