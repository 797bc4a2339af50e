// SPDX-License-Identifier: MIT
#include "analysis/usage_builder.hpp"

#include <algorithm>
#include <utility>

namespace memprof::analysis {

usage_builder::usage_builder(trace::info const& info, usage_options const& options,
                             std::optional<object_set> fate)
    : chosen_(options.chosen),
      fate_(std::move(fate)),
      everything_(chosen_.is_everything()),
      lives_(options.lives),
      by_size_(options.by_size),
      lifetimes_(options.lives && options.lifetimes),
      follows_(lives_ || chosen_.splits_heaps()),
      marked_(chosen_.needs_backtraces()),
      marks_(chosen_) {
  u_.info = info;
  u_.codes = code_table(naming_of(chosen_, options.names, options.hide_allocation_functions));
}

usage_builder::block const* usage_builder::add(trace::event const& e, trace::reader const& reader) {
  ++u_.events;
  u_.duration = std::max(u_.duration, e.time);
  if (e.kind != trace::event_kind::allocation) return follows_ ? change(e) : nullptr;
  // Also for blocks that are not chosen: the next backtrace builds upon this one.
  return allocation(e, u_.stacks.add(e, u_.codes, reader));
}

usage_builder::block const* usage_builder::allocation(trace::event const& e,
                                                      stack_tree::node_id stack) {
  live_state where = live_state::live;
  if (!everything_) {
    where = live_state_at_allocation(chosen_.heaps, e.source);
    if (where == live_state::absent || !chosen_.admits(e, u_.info.word_bytes()) ||
        !passes(e.object, stack) ||
        (where == live_state::live && !chosen_.allocated.holds(e.time))) {
      return nullptr;
    }
  }
  block& b = follows_ ? blocks_.insert(e.object) : last_;
  b = {.samples = e.n_samples,
       .length = e.length,
       .born = e.time,
       .row = row_of(stack, by_size_ ? e.length : 0),
       .source = e.source,
       .there = where == live_state::live};
  if (b.there) appear(b, e.time);
  return &b;
}

usage_builder::block const* usage_builder::change(trace::event const& e) {
  block* const b = blocks_.find(e.object);
  if (b == nullptr) return nullptr;
  last_ = *b;
  if (e.kind == trace::event_kind::promotion) {
    if (!std::exchange(b->promoted, true) && lifetimes_) {
      u_.lifetimes[b->row].promoted += b->samples;
    }
    if (b->there && chosen_.heaps.major) return &last_;
    if (!b->there && chosen_.allocated.holds(e.time)) {
      b->there = true;
      appear(*b, e.time);
      return &last_;
    }
  }
  if (b->there && lives_) vanish(*b, e.time);
  blocks_.erase(e.object);
  return &last_;
}

bool usage_builder::passes(trace::object_id id, stack_tree::node_id stack) {
  if (fate_ && !fate_->contains(id)) return false;
  return !marked_ || marks_.passes(stack, u_.stacks, u_.codes);
}

std::uint32_t usage_builder::row_of(stack_tree::node_id stack, std::uint64_t length) {
  std::uint32_t* row = nullptr;
  if (by_size_) {
    row = &rows_.try_emplace(key{stack, length}, usage::no_row).first->second;
  } else {
    if (stack >= u_.row_of.size()) u_.row_of.resize(u_.stacks.size(), usage::no_row);
    row = &u_.row_of[stack];
  }
  if (*row == usage::no_row) {
    *row = static_cast<std::uint32_t>(u_.rows.size());
    u_.rows.push_back({.stack = stack, .length = length, .sums = {}});
    if (lifetimes_) u_.lifetimes.emplace_back();
    // A row that is new was not there at any peak so far.
    if (lives_) seen_.push_back(peaks_);
  }
  return *row;
}

/// Each new peak would be a copy of every row's amount. Instead a row remembers at which peak it
/// was last looked at, and when it changes it takes down what it was at all the peaks since.
void usage_builder::before_change(std::uint32_t row) {
  if (seen_[row] == peaks_) return;
  u_.rows[row].sums.at_peak = u_.rows[row].sums.in_use;
  seen_[row] = peaks_;
}

void usage_builder::appear(block const& b, std::chrono::microseconds time) {
  const amount a = amount_of(b);
  amounts& sums = u_.rows[b.row].sums;
  sums.allocated += a;
  u_.total.allocated += a;
  if (!lives_) return;
  before_change(b.row);
  sums.in_use += a;
  now_ += a;
  if (lifetimes_) {
    amount& most = u_.lifetimes[b.row].most;
    if (sums.in_use.samples > most.samples) most = sums.in_use;
  }
  if (now_.samples > peak_.samples) {
    peak_ = now_;
    u_.peak_time = time;
    ++peaks_;
  }
}

void usage_builder::vanish(block const& b, std::chrono::microseconds time) {
  before_change(b.row);
  const amount a = amount_of(b);
  u_.rows[b.row].sums.in_use -= a;
  now_ -= a;
  if (lifetimes_) end_lifetime(b, time, true);
}

void usage_builder::end_lifetime(block const& b, std::chrono::microseconds time, bool freed) {
  row_lifetimes& r = u_.lifetimes[b.row];
  const auto age = static_cast<double>(std::max<std::int64_t>(0, (time - b.born).count()));
  r.lifetime += age * amount_of(b).objects;
  if (!freed) return;
  r.died += b.samples;
  r.died_lifetime += age * static_cast<double>(b.samples);
}

usage usage_builder::finish() {
  if (lives_) {
    for (std::uint32_t row = 0; row < u_.rows.size(); ++row) before_change(row);
  }
  if (lifetimes_) {
    blocks_.for_each([&](trace::object_id, block const& b) {
      if (b.there) end_lifetime(b, u_.duration, false);
    });
  }
  u_.total.in_use = now_;
  u_.total.at_peak = peak_;
  return std::move(u_);
}

}  // namespace memprof::analysis
