// SPDX-License-Identifier: MIT
/// \file
/// A whole trace in memory, decoded once, from which selections are answered without reading it
/// again.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memprof/trace/info.hpp"
#include "memprof/trace/interrupt.hpp"

#include "analysis/code_table.hpp"
#include "analysis/stack_tree.hpp"

namespace memprof::analysis {

class trace_source;

/// Of each sampled block, in the order of the allocations in the file. Times in microseconds,
/// `never` if it did not happen; of a block that is promoted twice the first time counts.
struct object_columns {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
  static constexpr std::uint32_t no_event = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::int64_t> born, gone, promoted;
  std::vector<std::uint32_t> born_event, gone_event, promoted_event;  // counted from 0
  std::vector<trace::object_id> id;
  std::vector<std::uint64_t> length;  // words, without the header
  std::vector<std::uint64_t> samples;
  std::vector<stack_tree::node_id> stack;
  std::vector<std::uint16_t> domain;
  std::vector<trace::heap> source;

  [[nodiscard]] std::size_t size() const noexcept { return born.size(); }
};

/// A change of a known block, as the file has them one after another.
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

/// What a trace says of itself and in all.
struct trace_facts {
  trace::info info;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;  // of the file, as far as it was read
  std::chrono::microseconds duration{0};
  std::chrono::microseconds peak_time{0};  // when the samples of live blocks were most, in the
                                           // order of the file
  std::vector<std::uint16_t> domains;      // that allocated, in order
  std::vector<noted_interrupt> interrupts;
  std::optional<std::string> damage;  // what is wrong, and what was before it is here
};

/// Never changes once it is made, so threads may share it.
///
/// memory      for each sampled block 67 bytes, and 4 for each of its events (at most three); 40
///             for each node of the tree of stacks; the names. At most 2^30 blocks and 2^32 events:
///             a trace with more is shown as far as that, and `damage` says so.
class trace_index {
 public:
  /// Reads the trace to its end, or to its first damage (trace_source's `recover` decides what that
  /// is).
  ///
  /// names       null: as in the trace. Of use to one thread at a time.
  /// throws      what trace_source::open throws: a file without a readable trace-info is none.
  /// cost        some 0.1 us for each event.
  trace_index(trace_source& source, std::shared_ptr<symbolize::resolver> names);
  /// Of no trace: nothing is in it.
  trace_index() = default;

  [[nodiscard]] trace_facts const& facts() const noexcept { return facts_; }
  [[nodiscard]] object_columns const& objects() const noexcept { return objects_; }
  [[nodiscard]] std::vector<object_change> const& changes() const noexcept { return changes_; }
  [[nodiscard]] stack_tree const& stacks() const noexcept { return stacks_; }
  /// Nothing hidden; code_table::seen hides.
  [[nodiscard]] code_table const& codes() const noexcept { return codes_; }

 private:
  class builder;
  trace_facts facts_;
  object_columns objects_;
  std::vector<object_change> changes_;
  stack_tree stacks_;
  code_table codes_;
};

}  // namespace memprof::analysis
