// SPDX-License-Identifier: MIT
/// \file
/// What each stack of a trace allocated, what of it is in use at the end and was at the peak: what
/// reports are made of.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "memprof/trace/info.hpp"
#include "memprof/trace/interrupt.hpp"

#include "analysis/code_table.hpp"
#include "analysis/selection.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

class trace_source;

/// Samples, the sampled blocks that hold them, and how many blocks they stand for: n samples of a
/// block of w words (header counted) for n / (rate w) of them.
///
/// objects     sum of n / (rate w): the estimate of the number of blocks.
/// spread      sum of n / (rate w)^2: what its error comes from (docs/statistical.md (34)).
struct amount {
  std::uint64_t samples = 0;
  std::uint64_t blocks = 0;
  double objects = 0;
  double spread = 0;

  /// Of one sampled block.
  [[nodiscard]] static amount of_block(std::uint64_t samples, std::uint64_t length,
                                       double sample_rate) noexcept {
    const double weight = 1 / (sample_rate * (static_cast<double>(length) + 1));
    const auto n = static_cast<double>(samples);
    return {samples, 1, n * weight, n * weight * weight};
  }

  amount& operator+=(amount const& a) noexcept {
    samples += a.samples;
    blocks += a.blocks;
    objects += a.objects;
    spread += a.spread;
    return *this;
  }
  amount& operator-=(amount const& a) noexcept {
    samples -= a.samples;
    blocks -= a.blocks;
    // Sums of the same terms in another order: what is left of nothing is nothing.
    objects = blocks == 0 ? 0 : objects - a.objects;
    spread = blocks == 0 ? 0 : spread - a.spread;
    return *this;
  }
  /// Of the counts, which are exact.
  friend bool operator==(amount const& a, amount const& b) noexcept {
    return a.samples == b.samples && a.blocks == b.blocks;
  }
};

/// Of one stack, one function, or all.
struct amounts {
  amount allocated;
  amount in_use;  // at the end of the trace
  amount
      at_peak;  // in use when `in_use` of all blocks chosen was highest, in the order of the file

  amounts& operator+=(amounts const& a) noexcept {
    allocated += a.allocated;
    in_use += a.in_use;
    at_peak += a.at_peak;
    return *this;
  }
};

enum class measure { allocated, in_use, peak };
[[nodiscard]] constexpr amount const& amount_of(amounts const& a, measure m) noexcept {
  return m == measure::allocated ? a.allocated : m == measure::in_use ? a.in_use : a.at_peak;
}

/// lives       false: allocations only; `in_use` and `at_peak` stay 0. Half the time, and no memory
///             for blocks.
/// hide_allocation_functions   as in `naming`.
struct usage_options {
  selection chosen;
  std::shared_ptr<symbolize::resolver> names;
  bool lives = true;
  bool hide_allocation_functions = false;
};

/// Everything but names is a number of samples: info.bytes_of() makes bytes of them.
struct usage {
  trace::info info;
  code_table codes;
  stack_tree stacks;
  std::vector<amounts> own;  // of each node of `stacks`: what exactly this stack allocated
  amounts total;
  std::uint64_t events = 0;  // of the whole trace
  std::chrono::microseconds duration{0};
  std::chrono::microseconds peak_time{0};
  std::vector<trace::interrupt> interrupts;  // without their stacks
};

/// Reads the trace: once, or up to three times for selections that need fate.
///
/// memory      grows with distinct stacks; with `lives` by 16 bytes for each block that is live at
///             one time, too.
/// throws      trace::format_error, std::system_error; std::invalid_argument for more than 64
///             patterns.
usage read_usage(trace_source& source, usage_options const& options = {});

}  // namespace memprof::analysis
