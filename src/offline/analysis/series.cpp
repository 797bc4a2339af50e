// SPDX-License-Identifier: MIT
#include "analysis/series.hpp"

#include <algorithm>

namespace memprof::analysis {

series_builder::series_builder(std::chrono::microseconds duration, std::size_t points)
    : fixed_(true) {
  const auto us = duration.count() > 0 ? static_cast<std::uint64_t>(duration.count()) : 0;
  step_ = us / std::max<std::size_t>(points, 1) + 1;
  steps_.resize(static_cast<std::size_t>(us / step_) + 1);
}

series_step& series_builder::at(std::chrono::microseconds time) {
  const auto us = time.count() > 0 ? static_cast<std::uint64_t>(time.count()) : 0;
  if (fixed_) return steps_[std::min(static_cast<std::size_t>(us / step_), steps_.size() - 1)];
  while (us / step_ >= most) {
    step_ *= 2;
    for (std::size_t i = 0; i < steps_.size(); i += 2) {
      series_step sum = steps_[i];
      if (i + 1 < steps_.size()) {
        sum.allocated += steps_[i + 1].allocated;
        sum.promoted += steps_[i + 1].promoted;
        sum.freed += steps_[i + 1].freed;
      }
      steps_[i / 2] = sum;
    }
    steps_.resize((steps_.size() + 1) / 2);
  }
  const auto i = static_cast<std::size_t>(us / step_);
  if (i >= steps_.size()) steps_.resize(i + 1);
  return steps_[i];
}

void series_builder::allocated(std::chrono::microseconds time, std::uint64_t samples) {
  at(time).allocated += samples;
}
void series_builder::promoted(std::chrono::microseconds time, std::uint64_t samples) {
  at(time).promoted += samples;
}
void series_builder::freed(std::chrono::microseconds time, std::uint64_t samples) {
  at(time).freed += samples;
}

time_series series_builder::finish() const {
  time_series r;
  r.step = std::chrono::microseconds{static_cast<std::int64_t>(step_)};
  r.steps = steps_;
  std::uint64_t live = 0;
  for (series_step& s : r.steps) {
    live += s.allocated;
    // Clocks of several domains may differ: a free may come in a step before its allocation.
    live -= s.freed;
    s.live = live > ~std::uint64_t{0} / 2 ? 0 : live;
  }
  return r;
}

}  // namespace memprof::analysis
