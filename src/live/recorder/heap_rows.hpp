// SPDX-License-Identifier: MIT
/// \file
/// What processes have allocated and in use at one moment, by stack and size.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "memprof/trace/event.hpp"
#include "memprof/trace/info.hpp"

#include "recorder/allocation_sums.hpp"
#include "recorder/common_codes.hpp"
#include "recorder/live_blocks.hpp"

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

  /// f(event): two allocations for each row, of what is in use and of what was freed, and a free.
  template <class F>
  void for_each_event(F f) const {
    trace::event e;
    e.source = trace::heap::major;
    e.time = std::chrono::microseconds(taken_ - std::min(start_, taken_));
    for (row const& r : rows_) {
      e.length = r.length;
      e.backtrace = (*stacks_)[r.stack];
      const auto allocation = [&](std::uint64_t samples) {
        e.n_samples = samples;
        ++e.object;
        if (samples > 0) f(e);
      };
      allocation(r.in_use);
      if (r.allocated <= r.in_use) continue;
      allocation(r.allocated - r.in_use);
      trace::event freed;
      freed.kind = trace::event_kind::collection;
      freed.time = e.time;
      freed.object = e.object;
      f(freed);
    }
  }
  /// As a reader has them: trace::legend.
  [[nodiscard]] trace::info const& info() const noexcept { return info_; }
  [[nodiscard]] std::span<trace::location const> locations(trace::location_code code) const {
    return codes_->locate(code);
  }

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
