// SPDX-License-Identifier: MIT
/// \file
/// What each stack of a trace allocated, what of it is in use at the end and was at the peak, and
/// for how long it lived: what reports and the formats of other tools are made of.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "memprof/trace/info.hpp"
#include "memprof/trace/interrupt.hpp"

#include "analysis/amounts.hpp"
#include "analysis/code_table.hpp"
#include "analysis/flat_index.hpp"
#include "analysis/picked_moment.hpp"
#include "analysis/selection.hpp"
#include "analysis/stack_tree.hpp"
#include "analysis/text_note.hpp"
#include "analysis/thread_groups.hpp"

namespace memprof::analysis {

class trace_source;

///  - `lives`: false: allocations only; `in_use` and `at_peak` stay 0. Half the time, and no memory
///    for blocks.
///  - `by_size`: a row for each stack and size, not for each stack.
///  - `lifetimes`: what usage_row::lifetimes holds; only with `lives`.
///  - `hide_allocation_functions`: as in `naming`.
///  - `by_thread`: stacks begin with a frame for their thread (thread_groups). The trace is read
///    once more, as for a selection of threads.
struct usage_options {
  selection chosen;
  std::shared_ptr<symbolize::resolver> names;
  bool lives = true;
  bool by_size = false;
  bool lifetimes = false;
  bool hide_allocation_functions = false;
  bool by_thread = false;
};

/// Of one stack; of one of its sizes, if each size has a row of its own.
///
///  - `length`: words without the header; 0 if not each size has a row.
struct usage_row {
  stack_tree::node_id stack = stack_tree::root;
  std::uint64_t length = 0;
  amounts sums;
};

/// What became of a row's blocks.
///
///  - `most`: what was in use when most of this row was: moment::picked.
///  - `promoted`: samples.
///  - `lifetime`: block-microseconds, survivors counted to the end of the trace.
///  - `died`: of those that were freed: samples, and sample-microseconds.
struct row_lifetimes {
  amount most;
  std::uint64_t promoted = 0;
  double lifetime = 0;
  std::uint64_t died = 0;
  double died_lifetime = 0;
};

/// Everything but names is a number of samples: info.bytes_of() makes bytes of them.
///
///  - `peak_time`: when most samples were live, the first time, in file order. What was in use then
///    is less: sums.at_peak estimates it without this bias (moment::picked).
///  - `most`: so many samples.
struct usage {
  trace::info info;
  code_table codes;
  stack_tree stacks;
  std::vector<usage_row> rows;           // in the order of their first blocks
  std::vector<row_lifetimes> lifetimes;  // of each row, with usage_options::lifetimes
  amounts total;
  std::uint64_t events = 0;               // of the whole trace
  std::chrono::microseconds duration{0};  // until the last event
  std::chrono::microseconds peak_time{0};
  std::uint64_t most = 0;
  bool picked = false;                       // the blocks were chosen by the peak
  std::vector<trace::interrupt> interrupts;  // without their stacks
  std::vector<text_note> notes;
  std::optional<std::chrono::microseconds> exit_began;  // what is in use at the end: then
  amount freed_afterwards;                              // of that
  bool everything = true;                               // all blocks were chosen
  std::shared_ptr<thread_groups const> threads;         // if they were asked for

  /// How the moment was found at which this measure counts.
  [[nodiscard]] moment moment_of(measure m) const noexcept {
    return picked || m == measure::peak ? moment::picked : moment::given;
  }
  /// What exactly this stack allocated. Not if each size has a row.
  [[nodiscard]] amounts const& own(stack_tree::node_id stack) const {
    static constexpr amounts nothing;
    const std::uint32_t row = row_of.lookup(stack);
    return row == flat_index::none ? nothing : rows[row].sums;
  }
  /// The stacks of the rows.
  [[nodiscard]] std::vector<stack_tree::node_id> stacks_of_rows() const {
    std::vector<stack_tree::node_id> all;
    all.reserve(rows.size());
    for (usage_row const& r : rows) all.push_back(r.stack);
    return all;
  }

  flat_index row_of;  // of a stack; not used if sizes are kept apart
};

struct no_threads : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads the trace: once, or up to three times for selections that need fate.
///
/// \note Memory: grows with distinct stacks (and sizes, if each has a row); with `lives` by 32
///   bytes for each block that is live at one time, too.
/// \throws trace::format_error if the file is damaged.
/// \throws std::system_error if it cannot be read.
/// \throws std::invalid_argument for more than 64 patterns; no_threads if threads are asked for and
///   the trace has none.
usage read_usage(trace_source& source, usage_options const& options = {});

}  // namespace memprof::analysis
