// SPDX-License-Identifier: MIT
#include "analysis/usage_builder.hpp"

#include <algorithm>
#include <utility>

namespace memprof::analysis {

usage_builder::usage_builder(trace::info const& info, usage_options const& options,
                             std::optional<block_choice> fate,
                             std::shared_ptr<thread_groups const> threads)
    : wanted_(options),
      fate_(std::move(fate)),
      marks_(wanted_.chosen),
      split_(info),
      peak_(info.sample_rate) {
  wanted_.lifetimes &= wanted_.lives;
  u_.info = info;
  u_.everything = wanted_.chosen.is_everything();
  u_.picked = wanted_.chosen.live_at_peak;
  u_.threads = threads;
  naming how = naming_of(wanted_.chosen, options.names, options.hide_allocation_functions);
  how.threads = std::move(threads);
  u_.codes = code_table(std::move(how));
}

bool usage_builder::is_of_thread(trace::event const& e) {
  const auto [at, is_new] = chosen_threads_.try_emplace(e.thread, false);
  if (is_new) {
    std::string const& label = u_.threads->of(e.thread).label;
    at->second = std::any_of(wanted_.chosen.threads.begin(), wanted_.chosen.threads.end(),
                             [&](name_pattern const& p) { return p.matches(label); });
  }
  return at->second;
}

/// The event, its stack below a frame for its thread. Valid until the next call.
trace::event usage_builder::below_thread(trace::event const& e) {
  const trace::location_code code = thread_groups::code_of(u_.threads->of(e.thread));
  trace::event result = e;
  const bool same = !below_thread_.empty() && below_thread_.front() == code;
  result.common_prefix = same ? e.common_prefix + 1 : 0;
  below_thread_.assign(1, code);
  below_thread_.insert(below_thread_.end(), e.backtrace.begin(), e.backtrace.end());
  result.backtrace = below_thread_;
  return result;
}

usage_builder::block const* usage_builder::add(trace::event const& e, trace::legend legend) {
  exit_.look(legend);
  ++u_.events;
  u_.duration = std::max(u_.duration, e.time);
  if (e.kind != trace::event_kind::allocation) return follows() ? change(e) : nullptr;
  // Also for blocks that are not chosen: the next backtrace builds upon this one.
  const trace::event placed = wanted_.by_thread ? below_thread(e) : e;
  const stack_tree::node_id stack = u_.stacks.add(placed, u_.codes, legend);
  const bool passes =
      (!wanted_.chosen.needs_backtraces() || marks_.passes(placed, stack, u_.stacks, u_.codes)) &&
      (wanted_.chosen.threads.empty() || is_of_thread(e));
  return allocation(e, stack, passes);
}

usage_builder::block const* usage_builder::allocation(trace::event const& e,
                                                      stack_tree::node_id stack, bool passes) {
  live_state where = live_state::live;
  std::uint64_t samples = e.n_samples;
  if (!u_.everything) {
    where = live_state_at_allocation(wanted_.chosen.heaps, e.source);
    if (where == live_state::absent || !passes || !wanted_.chosen.admits(e, u_.info.word_bytes()) ||
        (fate_ && (samples = fate_->counted(e.object, e.n_samples)) == 0) ||
        (where == live_state::live && !wanted_.chosen.allocated.holds(e.time))) {
      return nullptr;
    }
  }
  block& b = follows() ? blocks_.insert(e.object) : last_;
  b = {.samples = samples,
       .length = e.length,
       .born = e.time,
       .row = row_of(stack, wanted_.by_size ? e.length : 0),
       .source = e.source,
       .there = where == live_state::live};
  if (b.there) appear(e.object, b, e.time);
  return &b;
}

usage_builder::block const* usage_builder::change(trace::event const& e) {
  block* const b = blocks_.find(e.object);
  if (b == nullptr) return nullptr;
  last_ = *b;
  if (e.kind == trace::event_kind::promotion) {
    if (!std::exchange(b->promoted, true) && wanted_.lifetimes) {
      u_.lifetimes[b->row].promoted += b->samples;
    }
    if (b->there && wanted_.chosen.heaps.major) return &last_;
    if (!b->there && wanted_.chosen.allocated.holds(e.time)) {
      b->there = true;
      appear(e.object, *b, e.time);
      return &last_;
    }
  }
  if (b->there && wanted_.lives) vanish(e.object, *b, e.time);
  blocks_.erase(e.object);
  return &last_;
}

std::uint32_t usage_builder::row_of(stack_tree::node_id stack, std::uint64_t length) {
  std::uint32_t* row = nullptr;
  if (wanted_.by_size) {
    row = &rows_.try_emplace(key{stack, length}, flat_index::none).first->second;
  } else {
    row = &u_.row_of.find(stack);
  }
  if (*row == flat_index::none) {
    *row = static_cast<std::uint32_t>(u_.rows.size());
    u_.rows.push_back({.stack = stack, .length = length, .sums = {}});
    if (wanted_.lifetimes) u_.lifetimes.emplace_back();
    // A row that is new was not there at any peak so far.
    if (!has_peaks()) return *row;
    row_peaks_.push_back({{}, {}, peaks_first_, peaks_second_});
    if (wanted_.lifetimes) own_peaks_.emplace_back(u_.info.sample_rate);
  }
  return *row;
}

/// Each new peak would be a copy of every row's amount. Instead a row remembers at which peak it
/// was last looked at, and when it changes it takes down what it was at all the peaks since.
void usage_builder::before_change(std::uint32_t row) {
  row_peak& r = row_peaks_[row];
  if (r.seen_first != peaks_first_) r.at_peak.second = r.now.second;
  if (r.seen_second != peaks_second_) r.at_peak.first = r.now.first;
  r.seen_first = peaks_first_;
  r.seen_second = peaks_second_;
}

void usage_builder::appear(trace::object_id id, block& b, std::chrono::microseconds time) {
  const amount a = amount_of(b);
  amounts& sums = u_.rows[b.row].sums;
  sums.allocated += a;
  u_.total.allocated += a;
  if (!wanted_.lives) return;
  if ((b.in_use = exit_.is_before(time))) {
    sums.in_use += a;
    in_use_ += a;
  }
  now_ += a;
  if (now_.samples > u_.most) {
    u_.most = now_.samples;
    u_.peak_time = time;
  }
  if (!has_peaks()) return;
  before_change(b.row);
  const half_amounts h = halves_of(id, b);
  row_peaks_[b.row].now += h;
  if (wanted_.lifetimes) own_peaks_[b.row].appear(h);
  peak_.appear(h);
  count_peaks();
}

void usage_builder::vanish(trace::object_id id, block const& b, std::chrono::microseconds time) {
  const amount a = amount_of(b);
  if (b.in_use && exit_.is_before(time)) {
    u_.rows[b.row].sums.in_use -= a;
    in_use_ -= a;
  } else if (b.in_use) {
    u_.freed_afterwards += a;
  }
  now_ -= a;
  if (has_peaks()) {
    before_change(b.row);
    const half_amounts h = halves_of(id, b);
    row_peaks_[b.row].now -= h;
    if (wanted_.lifetimes) own_peaks_[b.row].vanish(h);
    peak_.vanish(h);
    count_peaks();
  }
  if (wanted_.lifetimes) end_lifetime(b, time, true);
}

void usage_builder::count_peaks() {
  peaks_first_ += peak_.first_is_most() ? 1U : 0U;
  peaks_second_ += peak_.second_is_most() ? 1U : 0U;
}

void usage_builder::end_lifetime(block const& b, std::chrono::microseconds time, bool freed) {
  row_lifetimes& r = u_.lifetimes[b.row];
  const auto age = static_cast<double>(std::max<std::int64_t>(0, (time - b.born).count()));
  r.lifetime += age * amount_of(b).objects;
  if (!freed) return;
  r.died += b.samples;
  r.died_lifetime += age * static_cast<double>(b.samples);
}

void usage_builder::finish_peaks() {
  const double rate = u_.info.sample_rate;
  for (std::uint32_t row = 0; row < u_.rows.size(); ++row) {
    amounts& sums = u_.rows[row].sums;
    if (u_.picked) {  // the blocks that were chosen are those of the peak
      sums.at_peak = sums.allocated;
      if (wanted_.lifetimes) u_.lifetimes[row].most = sums.allocated;
      continue;
    }
    before_change(row);
    sums.at_peak = row_peaks_[row].at_peak.sum(rate);
    if (wanted_.lifetimes) u_.lifetimes[row].most = own_peaks_[row].at_peak().sum(rate);
  }
  u_.total.at_peak = u_.picked ? u_.total.allocated : peak_.at_peak().sum(rate);
}

usage usage_builder::finish() {
  if (wanted_.lives) finish_peaks();
  if (wanted_.lifetimes) {
    blocks_.for_each([&](trace::object_id, block const& b) {
      if (b.there) end_lifetime(b, u_.duration, false);
    });
  }
  u_.total.in_use = in_use_;
  return std::move(u_);
}

}  // namespace memprof::analysis
