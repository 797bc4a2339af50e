// SPDX-License-Identifier: MIT
#include "analysis/stack_profile.hpp"

#include <algorithm>
#include <utility>

namespace memprof::analysis {

void stack_profile_builder::settle(std::uint32_t row) {
  if (settled_[row] == peaks_) return;
  settled_[row] = peaks_;
  result_.rows[row].at_peak = result_.rows[row].live;
}

void stack_profile_builder::end(block const& b, std::int64_t time, bool freed) {
  stack_row& r = result_.rows[b.row];
  const auto age = static_cast<double>(std::max<std::int64_t>(0, time - b.born));
  r.lifetime += age * b.blocks;
  if (!freed) return;
  settle(b.row);
  r.live.subtract(b.samples, b.blocks);
  r.died += b.samples;
  r.died_lifetime += age * static_cast<double>(b.samples);
  result_.live_samples -= b.samples;
}

void stack_profile_builder::add(trace::event const& e) {
  const std::int64_t time = e.time.count();
  result_.end = std::max(result_.end, e.time);
  if (e.kind != trace::event_kind::allocation) {
    block* const b = live_.find(e.object);
    if (b == nullptr) return;
    if (e.kind == trace::event_kind::promotion) {
      if (!std::exchange(b->promoted, true)) result_.rows[b->row].promoted += b->samples;
      return;
    }
    end(*b, time, true);
    live_.erase(e.object);
    return;
  }

  const key k{result_.stacks.find(e), by_size_ ? e.length : 0};
  const auto [place, is_new] = rows_.try_emplace(k, static_cast<std::uint32_t>(rows_.size()));
  const std::uint32_t row = place->second;
  if (is_new) {
    result_.rows.push_back({.stack = k.stack, .length = k.length});
    settled_.push_back(peaks_);
  }
  const auto n = e.n_samples;
  const double blocks =
      static_cast<double>(n) / (rate_ * (static_cast<double>(e.length) + 1));
  live_.insert(e.object, {row, false, n, blocks, time});
  settle(row);
  stack_row& r = result_.rows[row];
  ++r.sampled;
  r.allocated.add(n, blocks);
  r.live.add(n, blocks);
  if (r.live.samples > r.most.samples) r.most = r.live;
  ++result_.blocks;
  result_.samples += n;
  result_.live_samples += n;
  if (result_.live_samples > result_.peak_samples) {
    result_.peak_samples = result_.live_samples;
    result_.peak_time = e.time;
    ++peaks_;
  }
}

stack_profile stack_profile_builder::finish() {
  for (std::uint32_t row = 0; row < result_.rows.size(); ++row) settle(row);
  live_.for_each(
      [&](trace::object_id, block const& b) { end(b, result_.end.count(), false); });
  return std::move(result_);
}

}  // namespace memprof::analysis
