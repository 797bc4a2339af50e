// SPDX-License-Identifier: MIT
/// \file
/// Which sampled blocks a report is about: memtrace_viewer's filters, and more. All that is set
/// must hold.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "memprof/trace/event.hpp"

#include "analysis/exit_mark.hpp"
#include "analysis/name_pattern.hpp"
#include "analysis/sample_halves.hpp"

namespace memprof::analysis {

class trace_source;

/// A closed range; what is not set is open.
template <class T>
struct range {
  std::optional<T> from, to;
  [[nodiscard]] bool is_set() const noexcept { return from || to; }
  [[nodiscard]] bool holds(T const& x) const { return (!from || x >= *from) && (!to || x <= *to); }
};

/// Where blocks are. A minor block moves to the major heap when it is promoted.
struct heap_set {
  bool minor = true, major = true, external = true;
  [[nodiscard]] bool all() const noexcept { return minor && major && external; }
};

/// Times count from the start of the trace. A block is *there* from `born` to `gone`:
///
/// - on both heaps: from its allocation to its collection;
/// - heaps without major: until its promotion at the latest;
/// - heaps without minor: a minor block from its promotion on, if there was one.
///
/// Never collected: it goes at the end of the trace, except for `never_collected`, `live_at_end`
/// and `live_at`, for which it does not.
struct selection {
  using time = std::chrono::microseconds;

  range<time> allocated;        // born in this range
  range<time> live;             // there at some time of it: born <= to, and gone > from
  std::optional<time> live_at;  // born <= t < gone
  bool live_at_peak = false;    // the same for the peak of the whole trace: see block_choice
  bool live_at_end = false;     // there when exit began; without a mark of that, never collected
  range<time> collected;
  bool never_collected = false;
  range<double> size_bytes;  // of one block, without a header
  range<time> lifetime;
  /// Freed before its thread had allocated more bytes than this in other blocks, as their samples
  /// say (at rate 1 exactly). A block that leaves the chosen heaps otherwise is not freed.
  std::optional<double> freed_within;
  heap_set heaps;
  std::set<std::uint16_t> domains;    // empty: all
  std::vector<name_pattern> threads;  // by the labels of thread_groups; one of them; empty: all
  std::vector<name_pattern> inside,
      not_inside;                              // functions of the backtrace: each in it, none in it
  std::vector<name_pattern> files, not_files;  // the same for source files
  std::vector<name_pattern> hide;              // not a choice of blocks: leaves frames out

  /// Something is asked that is known only when the block is gone: the trace is read twice.
  [[nodiscard]] bool needs_fate() const noexcept {
    return live.is_set() || live_at || live_at_peak || live_at_end || collected.is_set() ||
           never_collected || lifetime.is_set() || freed_within;
  }
  [[nodiscard]] bool needs_backtraces() const noexcept {
    return !inside.empty() || !not_inside.empty() || !files.empty() || !not_files.empty();
  }
  /// Every block passes.
  [[nodiscard]] bool is_everything() const noexcept {
    return !needs_fate() && !needs_backtraces() && !allocated.is_set() && !size_bytes.is_set() &&
           heaps.all() && domains.empty() && threads.empty();
  }
  /// Times at which a block is there do not begin and end with its allocation and collection.
  [[nodiscard]] bool splits_heaps() const noexcept { return heaps.minor != heaps.major; }

  /// What is known when a block is allocated.
  [[nodiscard]] bool admits(trace::event const& allocation, double word_bytes) const {
    return (domains.empty() || domains.contains(allocation.domain)) &&
           size_bytes.holds(static_cast<double>(allocation.length) * word_bytes);
  }
  /// What is known when it is gone; `collected_there`: not just the end of the trace. But for
  /// `freed_within`.
  [[nodiscard]] bool admits_life(time born, time gone, bool collected_there, time peak,
                                 exit_mark const& mark) const;
};

/// One bit for each object id that was set.
class object_set {
 public:
  void insert(trace::object_id id);
  [[nodiscard]] bool contains(trace::object_id id) const noexcept;
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  struct page {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> bits;
  };
  static constexpr std::uint64_t page_bits = 4096;
  [[nodiscard]] page const* find(std::uint64_t number) const noexcept;
  std::vector<page> pages_;  // by number
  std::uint64_t size_ = 0;
};

/// Blocks that were chosen by their fate, and how many of their samples count.
///
/// Which samples are many when memory is at its peak is not chance: so with `live_at_peak` each
/// half of the samples (sample_halves) counts those that live at the peak of the other half.
class block_choice {
 public:
  /// How many of the samples of a block count; 0: it is not chosen.
  [[nodiscard]] std::uint64_t counted(trace::object_id id, std::uint64_t samples) const {
    if (!split_) return first_.contains(id) ? samples : 0;
    const sample_halves h = (*split_)(samples, id);
    return (first_.contains(id) ? h.first : 0) + (second_.contains(id) ? h.second : 0);
  }

 private:
  friend block_choice select_by_fate(trace_source& source, selection const& s);
  object_set first_, second_;  // whose samples of this half count; not split: all of first_
  std::optional<sample_splitter> split_;
};

/// The blocks whose times and sizes pass; backtraces are not looked at. For selections that need
/// fate. Reads the trace, twice if the peak is asked for.
///
/// \note Memory: 24 bytes for each block that is live at one time, one bit for each that passes.
block_choice select_by_fate(trace_source& source, selection const& s);

/// What happens to a block in the chosen heaps.
enum class live_state { absent, waiting, live };
[[nodiscard]] constexpr live_state live_state_at_allocation(heap_set h,
                                                            trace::heap source) noexcept {
  switch (source) {
    case trace::heap::minor:
      return h.minor ? live_state::live : h.major ? live_state::waiting : live_state::absent;
    case trace::heap::major:
      return h.major ? live_state::live : live_state::absent;
    case trace::heap::external:
      break;
  }
  return h.external ? live_state::live : live_state::absent;
}

}  // namespace memprof::analysis
