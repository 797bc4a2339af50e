// SPDX-License-Identifier: MIT
/// \file
/// What processes have allocated and in use at one moment, by stack and size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "memprof/trace/info.hpp"

#include "recorder/allocation_sums.hpp"
#include "recorder/common_codes.hpp"
#include "recorder/live_blocks.hpp"
#include "recorder/trace_in_memory.hpp"

namespace memprof::recorder {

/// A copy, which may be used by any thread, and after its processes have ended.
class heap_rows {
 public:
  /// \param of that keep sums, and at least one of them has begun. The first gives its name, id and
  ///   rate.
  /// \param most_stacks so many rows, the largest, keep their stacks.
  /// \note Threads: the recorder's.
  /// \note Cost: up to 100 ms for 20 000 stacks.
  explicit heap_rows(std::span<live_blocks* const> of, std::size_t most_stacks = 20'000);

  /// What changed from `before` to this: allocations, and where live memory grew.
  [[nodiscard]] heap_rows change_since(heap_rows const& before) const;
  /// The allocations since `before`, and the live memory of this.
  [[nodiscard]] heap_rows allocated_since(heap_rows const& before) const;

  /// As a trace of two allocations for each row: what is in use, and what was freed.
  void write(trace_in_memory& to) const;

 private:
  struct row {
    live_blocks const* of = nullptr;  ///< compared alone
    std::uint32_t index = 0;
    std::uint32_t stack = 0;  ///< 0: not kept
    std::uint64_t length = 0;
    std::uint64_t allocated = 0;
    std::uint64_t in_use = 0;
  };

  void keep_stacks(std::span<live_blocks* const> of, std::size_t most);
  /// f(its row in `before`, row) for rows that are in both.
  template <class F>
  void for_rows_of_both(heap_rows const& before, F f);

  trace::info info_;
  std::vector<row> rows_;  ///< by process and index
  std::shared_ptr<std::vector<backtrace>> stacks_;
  std::shared_ptr<common_codes> codes_;
  std::uint64_t start_ = 0, taken_ = 0;  ///< microseconds since 1970
};

}  // namespace memprof::recorder
