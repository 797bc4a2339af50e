// SPDX-License-Identifier: MIT
/// \file
/// What processes have in use at one moment, block by block, as events of a trace.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memprof/trace/event.hpp"
#include "memprof/trace/info.hpp"

#include "recorder/common_codes.hpp"
#include "recorder/live_blocks.hpp"

namespace memprof::recorder {

/// A copy, which another thread may use. Several processes are one in it: the same place in the
/// same module has the same code.
class live_snapshot {
 public:
  /// \param of at least one that has begun; the first gives its name and id.
  /// \note Cost: some us for a block.
  explicit live_snapshot(std::span<live_blocks* const> of);

  /// f(event) for the allocation of each block that lives, the oldest first.
  template <class F>
  void for_each_event(F f) const {
    trace::event e;
    e.source = trace::heap::major;
    for (block const& b : blocks_) {
      e.time = std::chrono::microseconds(b.since_start);
      e.length = b.length;
      e.n_samples = b.samples;
      e.backtrace = stacks_[b.stack];
      f(e);
      ++e.object;
    }
  }
  /// As a reader has them: trace::legend.
  [[nodiscard]] trace::info const& info() const noexcept { return info_; }
  [[nodiscard]] std::span<trace::location const> locations(trace::location_code code) const {
    return codes_.locate(code);
  }
  /// From the start of its processes to the moment of the snapshot.
  [[nodiscard]] std::chrono::microseconds age() const noexcept {
    return std::chrono::microseconds(age_);
  }

 private:
  struct block {
    std::uint64_t since_start = 0;
    std::uint64_t length = 0;
    std::uint64_t samples = 0;
    std::size_t stack = 0;
  };

  trace::info info_;
  std::vector<block> blocks_;
  std::vector<backtrace> stacks_;
  common_codes codes_;
  std::uint64_t age_ = 0;
};

/// What a trace of them would say of itself. `of` is not empty; the first gives its name, id and
/// rate.
///
/// \param start microseconds since 1970.
[[nodiscard]] trace::info info_of_live(std::span<live_blocks* const> of, std::uint64_t start);

}  // namespace memprof::recorder
