// SPDX-License-Identifier: MIT
/// \file
/// The sampled blocks of a trace in memory, thinned where there are too many of them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memprof/trace/info.hpp"
#include "memprof/trace/interrupt.hpp"

#include "analysis/code_table.hpp"
#include "analysis/stack_tree.hpp"
#include "analysis/text_note.hpp"

namespace memprof::analysis {

class trace_source;

/// Of each block that is kept, in the order of the allocations in the file.
///
///  - `samples`: those that are left of it; more than 32 bits hold are as many as they hold.
///  - `first`, `second`: of these, in each half: sample_splitter, at the rate of the index.
///  - `between`: 0: not freed. Else one more than the samples that the file has of its thread from
///    its allocation, itself not counted, to its free: selection::freed_within. What is more than
///    32 bits hold is the most that they hold.
struct object_columns {
  std::vector<std::uint64_t> length;  // words, without the header
  std::vector<std::uint32_t> samples, first, second, between;
  std::vector<stack_tree::node_id> stack;
  std::vector<std::uint16_t> domain;  // or the group of its thread, where threads are known
  std::vector<trace::heap> source;

  [[nodiscard]] std::size_t size() const noexcept { return samples.size(); }
};

/// A change of a block that is kept, as the file has them one after another. Of a block that is
/// promoted twice the first time counts.
struct object_change {
  std::uint32_t object : 30;
  std::uint32_t kind : 2;  // trace::event_kind
};

/// A limit that was hit. `stack`: the names of the innermost calls, outermost first, down to the
/// one that allocated.
struct noted_interrupt {
  trace::interrupt what;  // without its stack
  std::vector<std::string> stack;
};

/// What a trace says of itself and in all, nothing left out.
///
///  - `heaps`: whether any block was ever on each, by trace::heap.
///  - `halvings`: how often the samples of the index were halved: what is kept of the trace is one
///    of rate info.sample_rate / 2^halvings.
struct trace_facts {
  trace::info info;
  std::uint64_t events = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  // of the file, as far as it was read
  std::chrono::microseconds duration{0};
  std::vector<std::uint16_t> domains;     // that allocated, in order; or groups of threads
  std::vector<std::string> thread_names;  // of each of `domains`; empty: no threads are known
  std::array<bool, 3> heaps{};
  std::vector<noted_interrupt> interrupts;
  std::vector<text_note> notes;
  std::optional<std::string> damage;  // what is wrong, and what was before it is here
  unsigned halvings = 0;
};

/// Never changes once it is made.
///
/// \note Memory: for each block that is kept 31 bytes (16 more while it is read), and 12 for each
///   of its events (at most three); the tree of stacks; the names.
class trace_index {
 public:
  /// So many that an answer over all of them takes a page a fraction of a second.
  static constexpr std::size_t usual_most = 2'000'000;

  /// Reads the trace to its end, or to its first damage (trace_source's `recover` decides what that
  /// is). Whenever more than `most` blocks are kept, half of all samples go, once or
  /// more often (thinned_samples).
  ///
  /// \param names null: as in the trace. Of use to one thread at a time.
  /// \note Throws what trace_source::open throws: a file without a readable trace-info is none.
  /// \note Cost: some 0.1 us for each event.
  trace_index(trace_source& source, std::shared_ptr<symbolize::resolver> names,
              std::size_t most = usual_most);
  /// Of no trace: nothing is in it.
  trace_index() = default;

  [[nodiscard]] trace_facts const& facts() const noexcept { return facts_; }
  [[nodiscard]] object_columns const& objects() const noexcept { return objects_; }
  [[nodiscard]] std::vector<object_change> const& changes() const noexcept { return changes_; }
  /// Of each change, in microseconds.
  [[nodiscard]] std::vector<std::int64_t> const& times() const noexcept { return times_; }
  /// Of all blocks, also of those that are not kept.
  [[nodiscard]] stack_tree const& stacks() const noexcept { return stacks_; }
  /// Nothing hidden.
  [[nodiscard]] code_table const& codes() const noexcept { return codes_; }

 private:
  class builder;
  trace_facts facts_;
  object_columns objects_;
  std::vector<object_change> changes_;
  std::vector<std::int64_t> times_;
  stack_tree stacks_;
  code_table codes_;
};

}  // namespace memprof::analysis
