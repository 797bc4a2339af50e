// SPDX-License-Identifier: MIT
/// \file
/// What each backtrace allocated, what of it lives at the peak and at the end, and for how long it
/// lived: what other tools want to be told.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "analysis/object_table.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

/// Samples, and the blocks they stand for: a block of w words (header counted) has n samples of
/// rate * w expected, so that n / (rate * w) blocks is what n samples of it stand for. Unbiased, as
/// is samples / rate of words.
struct sampled_sum {
  std::uint64_t samples = 0;
  double blocks = 0;

  void add(std::uint64_t n, double b) {
    samples += n;
    blocks += b;
  }
  void subtract(std::uint64_t n, double b) {
    samples -= n;
    // Sums of the same terms in another order: what is left of nothing is nothing.
    blocks = samples == 0 ? 0 : blocks - b;
  }
};

/// length          words without the header; 0 if sizes are not told apart.
/// sampled         blocks in the trace.
/// live, at_peak   at the end of the trace; when most was live in all.
/// most            when most was live of this row.
/// lifetime        block-microseconds, survivors counted to the end of the trace.
/// died            of those that were freed: samples, and sample-microseconds.
struct stack_row {
  stack_tree::node_id stack = stack_tree::root;
  std::uint64_t length = 0;
  std::uint64_t sampled = 0;
  std::uint64_t promoted = 0;  ///< samples
  sampled_sum allocated, live, at_peak, most;
  double lifetime = 0;
  std::uint64_t died = 0;
  double died_lifetime = 0;
};

struct stack_profile {
  code_table codes;
  stack_tree stacks;
  std::vector<stack_row> rows;
  std::uint64_t samples = 0, live_samples = 0, peak_samples = 0;
  std::uint64_t blocks = 0;
  std::chrono::microseconds peak_time{0};  ///< the first time that it is reached, in file order
  std::chrono::microseconds end{0};        ///< the last event
};

/// Takes the events of a trace in their order.
///
/// memory      grows with the different backtraces (and sizes, if they are told apart) and with the
///             blocks that live at once.
class stack_profile_builder {
 public:
  /// under       only blocks with a function in their backtrace that matches; none: all blocks.
  stack_profile_builder(naming how, bool by_size, std::optional<name_pattern> under = {});

  /// The block that an event is about: as it was before the event, but for an allocation.
  struct touched {
    std::uint64_t samples = 0;
    std::uint64_t length = 0;
    std::chrono::microseconds born{0};
    trace::heap source = trace::heap::minor;
    bool promoted = false;
  };
  /// reader      that `e` was read from.
  /// returns     nothing for a block that was not chosen, or of which nothing is known.
  std::optional<touched> add(trace::event const& e, trace::reader const& reader);
  [[nodiscard]] stack_profile finish();

  /// f(block, time of the last event) for each block that lives now, in no order.
  template <class F>
  void for_each_live(F&& f) {
    live_.for_each([&](trace::object_id, block const& b) { f(b.facts, result_.end); });
  }

 private:
  struct block {
    touched facts;
    std::uint32_t row = 0;
    double blocks = 0;
  };
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

  /// Before a row's live blocks change: if there were peaks since they last did, they were live
  /// then.
  void settle(std::uint32_t row);
  void end(block const& b, std::chrono::microseconds time, bool freed);
  /// Whether `stack` or what is around it has a function that was asked for.
  [[nodiscard]] bool chosen(stack_tree::node_id stack);

  bool by_size_;
  std::uint64_t chosen_mark_ = 0;  // of the codes; 0: all are chosen
  std::vector<char> chosen_;       // of each stack
  stack_profile result_;
  std::unordered_map<key, std::uint32_t, hash> rows_;
  std::vector<std::uint64_t> settled_;  // of each row, the number of peaks when it was looked at
  std::uint64_t peaks_ = 0;
  object_table<block> live_;
};

}  // namespace memprof::analysis
