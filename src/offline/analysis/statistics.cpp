// SPDX-License-Identifier: MIT
#include "analysis/statistics.hpp"

#include <algorithm>
#include <utility>

namespace memprof::analysis {
namespace {

/// splitmix64
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::uint64_t age_of(std::chrono::microseconds born, std::chrono::microseconds end) {
  return end > born ? static_cast<std::uint64_t>((end - born).count()) : 0;
}

usage_options options_of(std::shared_ptr<symbolize::resolver> names,
                         std::optional<name_pattern> under, bool hide_allocation_functions) {
  usage_options o;
  if (under) o.chosen.inside.push_back(std::move(*under));
  o.names = std::move(names);
  o.by_size = true;
  o.lifetimes = true;
  o.hide_allocation_functions = hide_allocation_functions;
  return o;
}

}  // namespace

statistics_builder::statistics_builder(trace::info const& info,
                                       std::shared_ptr<symbolize::resolver> names,
                                       std::optional<name_pattern> under,
                                       bool hide_allocation_functions)
    : stacks_(info, options_of(std::move(names), std::move(under), hide_allocation_functions)) {}

void statistics_builder::point(lifetime_point p) {
  // Reservoir sampling: each block is there with the same chance.
  ++points_seen_;
  if (result_.points.size() < most_points) {
    result_.points.push_back(p);
    return;
  }
  const std::uint64_t i = next_random(random_) % points_seen_;
  if (i < most_points) result_.points[static_cast<std::size_t>(i)] = p;
}

void statistics_builder::add(trace::event const& e, trace::reader const& reader) {
  usage_builder::block const* const block = stacks_.add(e, reader);
  if (block == nullptr) return;
  ++result_.events;
  notebook_.add(e);
  const std::uint64_t n = block->samples;
  switch (e.kind) {
    case trace::event_kind::allocation:
      (e.source == trace::heap::minor   ? result_.minor
       : e.source == trace::heap::major ? result_.major
                                        : result_.external) += n;
      result_.sizes.add(e.length, static_cast<double>(n));
      series_.allocated(e.time, n);
      break;
    case trace::event_kind::promotion:
      if (block->promoted || block->source != trace::heap::minor) break;
      result_.promoted += n;
      series_.promoted(e.time, n);
      break;
    case trace::event_kind::collection:
      series_.freed(e.time, n);
      result_.lifetimes.died(age_of(block->born, e.time), n);
      point({block->born, e.time - block->born, true});
      break;
  }
}

statistics statistics_builder::finish() {
  stacks_.for_each_live([&](usage_builder::block const& b, std::chrono::microseconds end) {
    result_.lifetimes.still_lives(age_of(b.born, end), b.samples);
    point(
        {b.born, std::chrono::microseconds{static_cast<std::int64_t>(age_of(b.born, end))}, false});
  });
  result_.notebook = notebook_.finish();
  result_.series = series_.finish();
  result_.stacks = stacks_.finish();
  return std::move(result_);
}

}  // namespace memprof::analysis
