// SPDX-License-Identifier: MIT
#include "recorder/heap_rows.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "recorder/live_snapshot.hpp"
#include "recorder/process_facts.hpp"

namespace memprof::recorder {

heap_rows::heap_rows(std::span<live_blocks* const> of, std::size_t most_stacks)
    : stacks_(std::make_shared<std::vector<backtrace>>(1)),
      codes_(std::make_shared<common_codes>()),
      taken_(microseconds_now()) {
  start_ = taken_;
  for (live_blocks const* const l : of) {
    if (l->rate() == 0 || l->sums() == nullptr) continue;
    start_ = std::min(start_, l->start_time());
    std::uint32_t index = 0;
    for (allocation_sums::row const& r : l->sums()->rows()) {
      rows_.push_back({.of = l,
                       .index = index++,
                       .length = r.length,
                       .allocated = r.allocated,
                       .in_use = r.in_use});
    }
  }
  info_ = info_of_live(of, start_);
  keep_stacks(of, most_stacks);
  std::ranges::sort(rows_, {}, [](row const& r) { return std::tuple(r.of, r.index); });
}

void heap_rows::keep_stacks(std::span<live_blocks* const> of, std::size_t most) {
  const auto middle = rows_.begin() + static_cast<std::ptrdiff_t>(std::min(most, rows_.size()));
  std::ranges::nth_element(rows_, middle, std::greater{},
                           [](row const& r) { return r.allocated + r.in_use; });
  for (auto r = rows_.begin(); r != middle; ++r) {
    const auto process = std::ranges::find(of, r->of);
    backtrace const* const stack = r->of->sums()->rows()[r->index].stack;
    if (stack == nullptr) continue;
    r->stack = static_cast<std::uint32_t>(stacks_->size());
    backtrace& kept = stacks_->emplace_back();
    for (const auto code : *stack) kept.push_back(codes_->code_of(**process, code));
  }
}

template <class F>
void heap_rows::for_rows_of_both(heap_rows const& before, F f) {
  const auto order = [](row const& r) { return std::tuple(r.of, r.index); };
  auto then = before.rows_.begin();
  for (row& r : rows_) {
    while (then != before.rows_.end() && order(*then) < order(r)) ++then;
    if (then != before.rows_.end() && order(*then) == order(r)) f(*then, r);
  }
}

heap_rows heap_rows::change_since(heap_rows const& before) const {
  heap_rows result = allocated_since(before);
  result.for_rows_of_both(
      before, [](row const& then, row& now) { now.in_use -= std::min(now.in_use, then.in_use); });
  return result;
}

heap_rows heap_rows::allocated_since(heap_rows const& before) const {
  heap_rows result = *this;
  result.for_rows_of_both(before, [](row const& then, row& now) {
    now.allocated -= std::min(now.allocated, then.allocated);
  });
  result.start_ = before.taken_;
  result.info_.start_time = decltype(info_.start_time)(std::chrono::microseconds(result.start_));
  return result;
}

}  // namespace memprof::recorder
