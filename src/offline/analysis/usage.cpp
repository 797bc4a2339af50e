// SPDX-License-Identifier: MIT
#include "analysis/usage.hpp"

#include <algorithm>
#include <optional>

#include "analysis/backtrace_marks.hpp"
#include "analysis/object_table.hpp"
#include "analysis/trace_source.hpp"

namespace memprof::analysis {
namespace {

/// What is kept of the blocks that are there, and who pays for them.
class ledger {
 public:
  explicit ledger(usage& u, bool lives) : usage_(u), lives_(lives) {}

  void allocated(stack_tree::node_id node, amount const& a, std::chrono::microseconds time) {
    if (node >= usage_.own.size()) grow();
    usage_.own[node].allocated += a;
    if (!lives_) return;
    before_change(node);
    usage_.own[node].in_use += a;
    now_ += a;
    if (now_.samples > peak_.samples) {
      peak_ = now_;
      usage_.peak_time = time;
      ++peaks_;
    }
  }

  void gone(stack_tree::node_id node, amount const& a) {
    before_change(node);
    usage_.own[node].in_use -= a;
    now_ -= a;
  }

  void finish() {
    grow();
    for (stack_tree::node_id i = 0; i < usage_.own.size(); ++i) {
      if (lives_) before_change(i);
      usage_.total.allocated += usage_.own[i].allocated;
    }
    usage_.total.in_use = now_;
    usage_.total.at_peak = peak_;
  }

 private:
  /// Each new peak would be a copy of every node's amount. Instead a node remembers at which peak
  /// it was last looked at, and when it changes it takes down what it was at all the peaks since.
  void before_change(stack_tree::node_id node) {
    if (seen_[node] == peaks_) return;
    usage_.own[node].at_peak = usage_.own[node].in_use;
    seen_[node] = peaks_;
  }
  void grow() {
    const std::size_t size = std::max<std::size_t>(usage_.stacks.size(), 1);
    usage_.own.resize(size);
    // A node that is new was not there at any peak so far.
    if (lives_) seen_.resize(size, peaks_);
  }

  usage& usage_;
  bool lives_;
  amount now_, peak_;
  std::uint64_t peaks_ = 0;
  std::vector<std::uint64_t> seen_;
};

class usage_reader {
 public:
  usage_reader(usage& u, usage_options const& o, std::optional<object_set> fate)
      : u_(u),
        chosen_(o.chosen),
        fate_(std::move(fate)),
        lives_(o.lives),
        marked_(chosen_.needs_backtraces()),
        marks_(chosen_),
        ledger_(u, o.lives) {}

  void read(reading& events) {
    const bool everything = chosen_.is_everything();
    const bool follow = lives_ || chosen_.splits_heaps();
    for (trace::event e; events.next(e);) {
      ++u_.events;
      u_.duration = std::max(u_.duration, e.time);
      if (e.kind == trace::event_kind::allocation) {
        // Also for blocks that are not chosen: the next backtrace builds upon this one.
        const auto node = u_.stacks.add(e, u_.codes, events.reader());
        allocation(e, node, everything, follow);
      } else if (follow) {
        change(e);
      }
    }
    ledger_.finish();
  }

 private:
  struct block {
    stack_tree::node_id node = 0;
    bool there = false;
    std::uint64_t samples = 0;
    std::uint64_t length = 0;
  };
  [[nodiscard]] amount amount_of(block const& b) const noexcept {
    return amount::of_block(b.samples, b.length, u_.info.sample_rate);
  }

  void allocation(trace::event const& e, stack_tree::node_id node, bool everything, bool follow) {
    live_state where = live_state::live;
    if (!everything) {
      where = live_state_at_allocation(chosen_.heaps, e.source);
      if (where == live_state::absent || !chosen_.admits(e, u_.info.word_bytes()) ||
          !passes(e.object, node)) {
        return;
      }
      if (where == live_state::live && !chosen_.allocated.holds(e.time)) return;
    }
    const block b{node, where == live_state::live, e.n_samples, e.length};
    if (b.there) ledger_.allocated(node, amount_of(b), e.time);
    if (follow) blocks_.insert(e.object) = b;
  }

  void change(trace::event const& e) {
    block* const b = blocks_.find(e.object);
    if (b == nullptr) return;
    if (e.kind == trace::event_kind::promotion) {
      if (!b->there) {
        if (chosen_.allocated.holds(e.time)) {
          b->there = true;
          ledger_.allocated(b->node, amount_of(*b), e.time);
          return;
        }
      } else if (chosen_.heaps.major) {
        return;
      }
    }
    if (b->there && lives_) ledger_.gone(b->node, amount_of(*b));
    blocks_.erase(e.object);
  }

  bool passes(trace::object_id id, stack_tree::node_id node) {
    if (fate_ && !fate_->contains(id)) return false;
    return !marked_ || marks_.passes(node, u_.stacks, u_.codes);
  }

  usage& u_;
  selection const& chosen_;
  std::optional<object_set> fate_;
  bool lives_, marked_;
  backtrace_marks marks_;
  ledger ledger_;
  object_table<block> blocks_;
};

}  // namespace

usage read_usage(trace_source& source, usage_options const& options) {
  std::optional<object_set> fate;
  if (options.chosen.needs_fate()) {
    source.several();
    fate = select_by_fate(source, options.chosen);
  }
  reading events = source.open();
  usage u;
  u.info = events.info();
  u.codes = code_table(naming_of(options.chosen, options.names, options.hide_allocation_functions));
  usage_reader(u, options, std::move(fate)).read(events);
  for (trace::interrupt i : events.reader().interrupts()) {
    i.stack = {};
    u.interrupts.push_back(i);
  }
  return u;
}

}  // namespace memprof::analysis
