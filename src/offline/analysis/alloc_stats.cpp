// SPDX-License-Identifier: MIT
#include "analysis/alloc_stats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "analysis/histogram.hpp"

namespace memprof::analysis {
namespace {

using sizes = std::span<std::int64_t const>;

/// Parts of ceil(n / parts) values; the last are shorter or missing.
std::vector<sizes> split(sizes all, std::size_t parts) {
  std::vector<sizes> result;
  const std::size_t each = (all.size() + parts - 1) / parts;
  for (std::size_t i = 0; i < all.size(); i += each) {
    result.push_back(all.subspan(i, std::min(each, all.size() - i)));
  }
  return result;
}

size_moments moments_of(sizes values) {
  size_moments m;
  m.count = values.size();
  if (values.empty()) return m;
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const std::int64_t v : values) {
    sum += static_cast<double>(v);
    m.max = std::max(m.max, static_cast<std::uint64_t>(v));
  }
  m.mean = sum / n;
  double squares = 0;
  for (const std::int64_t v : values) {
    const double off = static_cast<double>(v) - m.mean;
    squares += off * off;
  }
  m.variance = squares / n;
  m.standard_deviation = std::sqrt(m.variance);
  return m;
}

std::uint64_t count_over(sizes values, std::int64_t limit) {
  return static_cast<std::uint64_t>(
      std::count_if(values.begin(), values.end(), [=](std::int64_t v) { return v > limit; }));
}

lifetime_summary summary_of(sizes lifetimes, std::uint64_t survivors) {
  lifetime_summary s;
  s.survivors = survivors;
  if (lifetimes.empty()) return s;
  const auto [least, most] = std::minmax_element(lifetimes.begin(), lifetimes.end());
  s.min = *least;
  s.max = *most;
  double sum = 0;
  for (const std::int64_t l : lifetimes) sum += static_cast<double>(l);
  s.mean = sum / static_cast<double>(lifetimes.size());
  s.by_100 = linear_histogram(lifetimes, s.min, s.max, 100);
  return s;
}

/// Of times that may be anything.
std::int64_t position_difference(std::int64_t end, std::int64_t begin) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(end) -
                                   static_cast<std::uint64_t>(begin));
}

}  // namespace

void alloc_stats_builder::allocated(block& b, std::int64_t time) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  b.major = true;
  b.tick = events_++;
  b.time = time;
  b.last_allocation = last_allocation_;
  last_time_ = std::max(last_time_, time);
  last_notebook_time_ = std::max(last_notebook_time_, last_allocation_);
  sizes_.push_back(static_cast<std::int64_t>(std::min(b.length, most)));
}

void alloc_stats_builder::add(trace::event const& e) {
  const std::int64_t time = e.time.count();
  if (e.kind == trace::event_kind::allocation) {
    last_allocation_ = time;
    block& b = live_.insert(e.object);
    b.length = e.length;
    if (e.source != trace::heap::minor) allocated(b, time);
    return;
  }
  block* const b = live_.find(e.object);
  if (b == nullptr) return;
  if (e.kind == trace::event_kind::promotion) {
    if (!b->major) allocated(*b, time);
    return;
  }
  if (b->major) {
    ticks_.push_back(events_++ - b->tick);
    times_.push_back(position_difference(time, b->time));
    notebook_times_.push_back(position_difference(last_allocation_, b->last_allocation));
    last_time_ = std::max(last_time_, time);
    last_notebook_time_ = std::max(last_notebook_time_, last_allocation_);
  }
  live_.erase(e.object);
}

alloc_stats alloc_stats_builder::finish() {
  alloc_stats r;
  r.events = static_cast<std::uint64_t>(events_);
  r.allocations = sizes_.size();
  const sizes all = sizes_;
  for (const std::int64_t size : all) ++r.count_by_size[static_cast<std::uint64_t>(size)];
  r.small = linear_histogram(all, 0, 32, 32);
  r.medium = linear_histogram(all, 32, 256, 100);
  r.large = linear_histogram(all, 256, 10'000, 100);
  r.over_256 = count_over(all, 256);
  r.over_10000 = count_over(all, 10'000);
  const auto above = r.count_by_size.upper_bound(10'000);
  if (above != r.count_by_size.end() && above != std::prev(r.count_by_size.end())) {
    std::vector<std::int64_t> large;
    std::copy_if(all.begin(), all.end(), std::back_inserter(large),
                 [](std::int64_t v) { return v > 10'000; });
    r.over_10000_by_100 =
        linear_histogram(large, static_cast<std::int64_t>(above->first),
                         static_cast<std::int64_t>(r.count_by_size.rbegin()->first), 100);
  }
  r.moments = moments_of(all);
  for (const sizes part : split(all, 2)) r.halves.push_back(moments_of(part));
  for (const sizes part : split(all, 10)) {
    r.sd_of_tenths.push_back(moments_of(part).standard_deviation);
    r.over_256_of_tenths.push_back(count_over(part, 256));
  }
  const sizes inner = all.size() > 200 ? all.subspan(100, all.size() - 200) : sizes{};
  std::vector<std::int64_t> inner_large;
  std::copy_if(inner.begin(), inner.end(), std::back_inserter(inner_large),
               [](std::int64_t v) { return v > 256; });
  for (const sizes part : split(inner, 2)) {
    r.sd_of_inner_halves.push_back(moments_of(part).standard_deviation);
  }
  for (const sizes part : split(inner_large, 2)) {
    r.over_256_inner_halves.push_back(moments_of(part));
  }

  std::uint64_t survivors = 0;
  live_.for_each([&](trace::object_id, block const& b) {
    if (!b.major) return;
    ++survivors;
    ticks_.push_back(events_ - b.tick);
    times_.push_back(position_difference(last_time_, b.time));
    notebook_times_.push_back(position_difference(last_notebook_time_, b.last_allocation));
  });
  r.ticks = summary_of(ticks_, survivors);
  if (!ticks_.empty()) r.ticks.by_32 = linear_histogram(ticks_, 0, 32, 32);
  r.time = summary_of(times_, survivors);
  r.time_as_notebook = summary_of(notebook_times_, survivors);
  return r;
}

}  // namespace memprof::analysis
