// SPDX-License-Identifier: MIT
/// \file
/// Builds a `usage` from the events of a trace, one after another.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/backtrace_marks.hpp"
#include "analysis/exit_mark.hpp"
#include "analysis/live_peak.hpp"
#include "analysis/object_table.hpp"
#include "analysis/usage.hpp"
#include "trace/trace.hpp"

namespace memprof::analysis {

/// Takes the events of a trace in their order.
///
/// \note Memory: as read_usage.
class usage_builder {
 public:
  /// \param fate the blocks to choose from; none: all.
  /// \param threads for a selection of threads, and usage_options::by_thread.
  /// \throws std::invalid_argument for more than 64 patterns.
  usage_builder(trace::info const& info, usage_options const& options,
                std::optional<block_choice> fate = {},
                std::shared_ptr<thread_groups const> threads = {});

  /// A block that was chosen.
  struct block {
    std::uint64_t samples = 0;  ///< those that count
    std::uint64_t length = 0;
    std::chrono::microseconds born{0};
    std::uint32_t row = 0;
    trace::heap source = trace::heap::minor;
    bool there = false;  ///< in the chosen heaps
    bool promoted = false;
    bool in_use = false;  ///< there before the process began to end, and not gone by then
  };
  /// \param legend of the trace that `e` is of.
  /// \return the block that the event is about, as it was before the event, but for an allocation;
  ///   null for a block that was not chosen, or of which nothing is known. Valid until the next
  ///   event.
  block const* add(trace::event const& e, trace::legend legend);
  [[nodiscard]] usage finish();

  /// f(block, time of the last event) for each chosen block that lives now, in no order.
  template <class F>
  void for_each_live(F&& f) {
    blocks_.for_each([&](trace::object_id, block const& b) { f(b, u_.duration); });
  }

 private:
  struct key {
    stack_tree::node_id stack;
    std::uint64_t length;
    friend bool operator==(key const&, key const&) = default;
  };
  struct hash {
    std::size_t operator()(key const& k) const noexcept {
      return (k.stack * 0x9e3779b97f4a7c15U) ^ (k.length * 0xc2b2ae3d27d4eb4fU);
    }
  };

  /// \param passes its backtrace is one that was chosen.
  block const* allocation(trace::event const& e, stack_tree::node_id stack, bool passes);
  block const* change(trace::event const& e);
  [[nodiscard]] bool is_of_thread(trace::event const& e);
  [[nodiscard]] trace::event below_thread(trace::event const& e);
  std::uint32_t row_of(stack_tree::node_id stack, std::uint64_t length);
  void appear(trace::object_id id, block& b, std::chrono::microseconds time);
  void vanish(trace::object_id id, block const& b, std::chrono::microseconds time);
  void end_lifetime(block const& b, std::chrono::microseconds time, bool freed);
  void before_change(std::uint32_t row);
  void count_peaks();
  void finish_peaks();
  /// Whether rows need their peaks: where the blocks are not those of the peak anyway.
  [[nodiscard]] bool has_peaks() const noexcept { return wanted_.lives && !u_.picked; }
  /// Whether blocks matter after their allocation.
  [[nodiscard]] bool follows() const noexcept {
    return wanted_.lives || wanted_.chosen.splits_heaps();
  }
  [[nodiscard]] half_amounts halves_of(trace::object_id id, block const& b) const {
    return half_amounts::of_block(split_(b.samples, id), b.length, u_.info.sample_rate);
  }
  [[nodiscard]] amount amount_of(block const& b) const noexcept {
    return amount::of_block(b.samples, b.length, u_.info.sample_rate);
  }

  /// Of a row: what lives, and what lived at the peaks of the halves, as far as was looked.
  struct row_peak {
    half_amounts now, at_peak;
    std::uint64_t seen_first = 0, seen_second = 0;  // of the peaks below
  };

  usage_options wanted_;  // lifetimes only with lives
  std::optional<block_choice> fate_;
  std::unordered_map<std::uint32_t, bool> chosen_threads_;
  std::vector<trace::location_code> below_thread_;
  backtrace_marks marks_;
  usage u_;
  sample_splitter split_;
  amount now_, in_use_;
  exit_mark exit_;
  live_peak peak_;
  std::uint64_t peaks_first_ = 0, peaks_second_ = 0;  // events after which a half had most
  std::vector<row_peak> row_peaks_;
  std::vector<live_peak> own_peaks_;                   // of each row, with lifetimes
  std::unordered_map<key, std::uint32_t, hash> rows_;  // if each size has a row
  object_table<block> blocks_;
  block last_;  // what add() returned, if the table does not have it
};

}  // namespace memprof::analysis
