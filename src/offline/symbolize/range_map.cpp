// SPDX-License-Identifier: MIT
#include "symbolize/range_map.hpp"

#include <algorithm>

namespace memprof::symbolize {

void range_map::mark(std::uint64_t start, std::uint32_t value, bool covered) {
  if (!segments_.empty() && segments_.back().start == start) {
    segments_.back() = {start, value, covered};
  } else {
    segments_.push_back({start, value, covered});
  }
}

void range_map::finish() {
  std::ranges::stable_sort(ranges_, [](range const& a, range const& b) {
    return a.low != b.low ? a.low < b.low : a.high > b.high;
  });
  // A sweep: `open` holds the ranges begun, the innermost last. Some below it may have ended
  // already; they go when they come to the top.
  std::vector<range> open;
  const auto close_until = [&](std::uint64_t address) {
    while (!open.empty() && open.back().high <= address) {
      const std::uint64_t end = open.back().high;
      while (!open.empty() && open.back().high <= end) open.pop_back();
      open.empty() ? mark(end, 0, false) : mark(end, open.back().value, true);
    }
  };
  for (range const& r : ranges_) {
    close_until(r.low);
    open.push_back(r);
    mark(r.low, r.value, true);
  }
  close_until(~std::uint64_t{0});
  std::vector<range>{}.swap(ranges_);
}

std::optional<std::uint32_t> range_map::find(std::uint64_t address) const noexcept {
  auto after = std::ranges::upper_bound(segments_, address, {}, &segment::start);
  if (after == segments_.begin()) return std::nullopt;
  --after;
  if (!after->covered) return std::nullopt;
  return after->value;
}

}  // namespace memprof::symbolize
