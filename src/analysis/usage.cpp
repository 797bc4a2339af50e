// SPDX-License-Identifier: MIT
#include "analysis/usage.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>

#include "analysis/object_table.hpp"
#include "analysis/trace_source.hpp"

namespace memprof::analysis {
namespace {

/// The patterns of a selection as marks of codes.
naming naming_of(usage_options const& o) {
  naming n{.names = o.names,
           .hide = o.chosen.hide,
           .marks = {},
           .hide_allocation_functions = o.hide_allocation_functions};
  const auto add = [&](std::vector<name_pattern> const& patterns, bool of_file) {
    for (name_pattern const& p : patterns) n.marks.push_back({p, of_file});
  };
  add(o.chosen.inside, false);
  add(o.chosen.files, true);
  add(o.chosen.not_inside, false);
  add(o.chosen.not_files, true);
  if (n.marks.size() > 64) {
    throw std::invalid_argument("more than 64 patterns of functions and files");
  }
  return n;
}

/// What is kept of the blocks that are there, and who pays for them.
class ledger {
 public:
  explicit ledger(usage& u, bool lives) : usage_(u), lives_(lives) {}

  void allocated(stack_tree::node_id node, std::uint64_t samples, std::chrono::microseconds time) {
    if (node >= usage_.own.size()) grow();
    const amount a{samples, 1};
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

  void gone(stack_tree::node_id node, std::uint64_t samples) {
    before_change(node);
    const amount a{samples, 1};
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

/// Which marks the nodes' backtraces have: those of the parent and of the code.
class node_marks {
 public:
  std::uint64_t of(stack_tree::node_id node, usage const& u) {
    for (auto i = static_cast<stack_tree::node_id>(marks_.size()); i < u.stacks.size(); ++i) {
      marks_.push_back(marks_[u.stacks[i].parent] | u.codes.marks(u.stacks[i].code));
    }
    return marks_[node];
  }

 private:
  std::vector<std::uint64_t> marks_{0};
};

class usage_reader {
 public:
  usage_reader(usage& u, usage_options const& o, std::optional<object_set> fate)
      : u_(u),
        chosen_(o.chosen),
        fate_(std::move(fate)),
        lives_(o.lives),
        marked_(chosen_.needs_backtraces()),
        must_have_(bits(chosen_.inside.size() + chosen_.files.size())),
        must_not_have_(bits(chosen_.inside.size() + chosen_.files.size() +
                            chosen_.not_inside.size() + chosen_.not_files.size()) &
                       ~must_have_),
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
  };

  static std::uint64_t bits(std::size_t n) {
    return n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  }

  void allocation(trace::event const& e, stack_tree::node_id node, bool everything, bool follow) {
    residence where = residence::there;
    if (!everything) {
      where = residence_at_allocation(chosen_.heaps, e.source);
      if (where == residence::absent || !chosen_.admits(e, u_.info.word_bytes()) ||
          !passes(e.object, node)) {
        return;
      }
      if (where == residence::there && !chosen_.allocated.holds(e.time)) return;
    }
    if (where == residence::there) ledger_.allocated(node, e.n_samples, e.time);
    if (follow) blocks_.insert(e.object) = {node, where == residence::there, e.n_samples};
  }

  void change(trace::event const& e) {
    block* const b = blocks_.find(e.object);
    if (b == nullptr) return;
    if (e.kind == trace::event_kind::promotion) {
      if (!b->there) {
        if (chosen_.allocated.holds(e.time)) {
          b->there = true;
          ledger_.allocated(b->node, b->samples, e.time);
          return;
        }
      } else if (chosen_.heaps.major) {
        return;
      }
    }
    if (b->there && lives_) ledger_.gone(b->node, b->samples);
    blocks_.erase(e.object);
  }

  bool passes(trace::object_id id, stack_tree::node_id node) {
    if (fate_ && !fate_->contains(id)) return false;
    if (!marked_) return true;
    const std::uint64_t marks = marks_.of(node, u_);
    return (marks & must_have_) == must_have_ && (marks & must_not_have_) == 0;
  }

  usage& u_;
  selection const& chosen_;
  std::optional<object_set> fate_;
  bool lives_, marked_;
  std::uint64_t must_have_, must_not_have_;
  ledger ledger_;
  node_marks marks_;
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
  u.codes = code_table(naming_of(options));
  usage_reader(u, options, std::move(fate)).read(events);
  for (trace::interrupt i : events.reader().interrupts()) {
    i.stack = {};
    u.interrupts.push_back(i);
  }
  return u;
}

}  // namespace memprof::analysis
