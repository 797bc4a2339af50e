// SPDX-License-Identifier: MIT
#include "analysis/stack_profile.hpp"

#include <algorithm>
#include <utility>

namespace memprof::analysis {

stack_profile_builder::stack_profile_builder(naming how, bool by_size,
                                             std::optional<name_pattern> under)
    : by_size_(by_size) {
  if (under) {
    chosen_mark_ = std::uint64_t{1} << how.marks.size();
    how.marks.push_back({std::move(*under), false});
  }
  result_.codes = code_table(std::move(how));
}

void stack_profile_builder::settle(std::uint32_t row) {
  if (settled_[row] == peaks_) return;
  settled_[row] = peaks_;
  result_.rows[row].at_peak = result_.rows[row].live;
}

void stack_profile_builder::end(block const& b, std::chrono::microseconds time, bool freed) {
  stack_row& r = result_.rows[b.row];
  const auto age = static_cast<double>(std::max<std::int64_t>(0, (time - b.facts.born).count()));
  r.lifetime += age * b.blocks;
  if (!freed) return;
  settle(b.row);
  r.live.subtract(b.facts.samples, b.blocks);
  r.died += b.facts.samples;
  r.died_lifetime += age * static_cast<double>(b.facts.samples);
  result_.live_samples -= b.facts.samples;
}

bool stack_profile_builder::chosen(stack_tree::node_id stack) {
  if (chosen_mark_ == 0) return true;
  // A parent comes before its children.
  for (auto n = static_cast<stack_tree::node_id>(chosen_.size()); n < result_.stacks.size(); ++n) {
    stack_tree::node const& node = result_.stacks[n];
    const bool is = n != stack_tree::root && (chosen_[node.parent] != 0 ||
                                              (result_.codes.marks(node.code) & chosen_mark_) != 0);
    chosen_.push_back(is ? 1 : 0);
  }
  return chosen_[stack] != 0;
}

std::optional<stack_profile_builder::touched> stack_profile_builder::add(
    trace::event const& e, trace::reader const& reader) {
  result_.end = std::max(result_.end, e.time);
  if (e.kind != trace::event_kind::allocation) {
    block* const b = live_.find(e.object);
    if (b == nullptr) return std::nullopt;
    const touched before = b->facts;
    if (e.kind == trace::event_kind::promotion) {
      if (!std::exchange(b->facts.promoted, true)) {
        result_.rows[b->row].promoted += b->facts.samples;
      }
      return before;
    }
    end(*b, e.time, true);
    live_.erase(e.object);
    return before;
  }

  const stack_tree::node_id stack = result_.stacks.add(e, result_.codes, reader);
  if (!chosen(stack)) return std::nullopt;
  const key k{stack, by_size_ ? e.length : 0};
  const auto [place, is_new] = rows_.try_emplace(k, static_cast<std::uint32_t>(rows_.size()));
  const std::uint32_t row = place->second;
  if (is_new) {
    stack_row& r = result_.rows.emplace_back();
    r.stack = k.stack;
    r.length = k.length;
    settled_.push_back(peaks_);
  }
  const std::uint64_t n = e.n_samples;
  const double blocks =
      static_cast<double>(n) / (reader.info().sample_rate * (static_cast<double>(e.length) + 1));
  const touched facts{n, e.length, e.time, e.source, false};
  live_.insert(e.object) = {facts, row, blocks};
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
  return facts;
}

stack_profile stack_profile_builder::finish() {
  for (std::uint32_t row = 0; row < result_.rows.size(); ++row) settle(row);
  live_.for_each([&](trace::object_id, block const& b) { end(b, result_.end, false); });
  return std::move(result_);
}

}  // namespace memprof::analysis
