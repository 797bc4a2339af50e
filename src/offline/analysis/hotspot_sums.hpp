// SPDX-License-Identifier: MIT
/// \file
/// What `hotspots` adds up over the allocations of a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "analysis/function_map.hpp"
#include "analysis/heavy_pairs.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

/// The functions of a domain's last backtrace: what it shares with the next is kept.
class last_stack {
 public:
  /// The functions of all frames but the last, each once. `function_of` gives that of a frame.
  template <class Function>
  std::span<std::uint32_t const> callers(trace::event const& e, Function&& function_of);
  [[nodiscard]] std::uint32_t innermost() const { return functions_.back(); }

 private:
  std::vector<std::uint32_t> functions_;  // of each frame
  std::vector<std::uint32_t> distinct_;   // in the order of their first frames
  std::vector<std::size_t> distinct_at_;  // how many of them after each frame
  std::vector<std::uint32_t> active_;     // frames of each function
};

/// Most traces have few different stacks, each many times. As long as a trace is such, and has room
/// for all its pairs, the stacks are counted and nothing else; at the end, or when it turns out not
/// to be such, their counts are handed out to functions and pairs. From then on each allocation is
/// handed out by itself, in memory that no longer grows with stacks.
class hotspot_sums {
 public:
  explicit hotspot_sums(std::shared_ptr<symbolize::resolver> names)
      : codes_({.names = std::move(names), .hide = {}, .marks = {}}) {}

  /// An allocation. All of a trace must come by, in order.
  void add(trace::event const& e, trace::reader const& reader) {
    samples_ += e.n_samples;
    if (!stacks_ || !count_stack(e, reader)) hand_out(e, reader);
  }
  /// After the last one; the rest is of use only then.
  void finish() {
    if (stacks_) hand_out_stacks();
  }

  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] function_map const& functions() const { return functions_; }
  /// Of functions: what they allocate themselves; that and what is allocated under them, for
  /// recursive ones twice.
  [[nodiscard]] std::vector<std::uint64_t> const& self() const { return self_; }
  [[nodiscard]] std::vector<std::uint64_t> const& under() const { return under_; }
  /// Of codes: what is allocated there.
  [[nodiscard]] std::vector<std::uint64_t> const& at() const { return at_; }
  [[nodiscard]] heavy_pairs const& pairs() const { return pairs_; }

 private:
  /// The counts of a node of the tree, for the stacks that end there.
  struct stack_count {
    std::uint32_t function = 0;
    std::uint64_t blocks = 0;
    std::uint64_t samples = 0;
  };

  bool count_stack(trace::event const& e, trace::reader const& reader);
  bool room_for_pairs(stack_tree::node_id stack);
  void hand_out_stacks();
  void hand_out(trace::event const& e, trace::reader const& reader);
  std::vector<std::uint32_t> const& callers_of(stack_tree::node_id stack);
  void add_self(std::uint32_t function, code_table::id code, std::uint64_t samples);

  code_table codes_;
  function_map functions_;
  std::uint64_t samples_ = 0;
  std::vector<std::uint64_t> self_, under_, at_;
  heavy_pairs pairs_;

  // As long as stacks are counted.
  std::unique_ptr<stack_tree> stacks_ = std::make_unique<stack_tree>();
  std::vector<stack_count> counts_{stack_count{}};
  flat_index known_pairs_;
  std::vector<std::uint32_t> callers_;
  std::vector<std::uint64_t> listed_in_;  // of functions: the list of callers that had it last
  std::uint64_t lists_ = 0;

  std::unordered_map<std::uint16_t, last_stack> last_stacks_;  // afterwards
};

}  // namespace memprof::analysis
