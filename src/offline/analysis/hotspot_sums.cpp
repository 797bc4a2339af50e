// SPDX-License-Identifier: MIT
#include "analysis/hotspot_sums.hpp"

#include <algorithm>

namespace memprof::analysis {
namespace {

/// So that the tree and its counts stay in the processor's second cache or near it. A trace with
/// more different stacks than that gains nothing from the tree.
constexpr std::size_t most_nodes = std::size_t{1} << 16;

}  // namespace

template <class Function>
std::span<std::uint32_t const> last_stack::callers(trace::event const& e, Function&& function_of) {
  const std::size_t length = e.backtrace.size();
  const std::size_t known =
      std::min({static_cast<std::size_t>(e.common_prefix), functions_.size(), length});
  while (functions_.size() > known) {
    --active_[functions_.back()];
    functions_.pop_back();
  }
  distinct_.resize(known == 0 ? 0 : distinct_at_[known - 1]);
  distinct_at_.resize(known);
  for (std::size_t i = known; i < length; ++i) {
    const std::uint32_t f = function_of(i);
    if (f >= active_.size()) active_.resize(f + 64);
    if (active_[f]++ == 0) distinct_.push_back(f);
    functions_.push_back(f);
    distinct_at_.push_back(distinct_.size());
  }
  return std::span(distinct_).first(length < 2 ? 0 : distinct_at_[length - 2]);
}

/// False: not counted, for there is no room. Then no stack is any more.
bool hotspot_sums::count_stack(trace::event const& e, trace::reader const& reader) {
  const stack_tree::node_id stack = stacks_->add(e, codes_, reader);
  // What is new is the inner end of this backtrace.
  for (std::size_t i = e.backtrace.size() - (stacks_->size() - counts_.size());
       i < e.backtrace.size(); ++i) {
    const auto f = functions_.of(e.backtrace[i], e.backtrace.first(i), codes_, reader).function;
    counts_.push_back({.function = f});
  }
  stack_count& count = counts_[stack];
  if (count.blocks == 0 && (counts_.size() > most_nodes || !room_for_pairs(stack))) {
    hand_out_stacks();
    return false;
  }
  ++count.blocks;
  count.samples += e.n_samples;
  return true;
}

/// The functions of all frames but the last, each once.
std::vector<std::uint32_t> const& hotspot_sums::callers_of(stack_tree::node_id stack) {
  callers_.clear();
  listed_in_.resize(functions_.size());
  ++lists_;
  for (auto n = stacks_->parent(stack); n != stack_tree::root; n = stacks_->parent(n)) {
    const std::uint32_t f = counts_[n].function;
    if (std::exchange(listed_in_[f], lists_) != lists_) callers_.push_back(f);
  }
  return callers_;
}

bool hotspot_sums::room_for_pairs(stack_tree::node_id stack) {
  if (stack == stack_tree::root) return true;
  for (const std::uint32_t caller : callers_of(stack)) {
    std::uint32_t& place = known_pairs_.find(counts_[stack].function, caller);
    if (place == flat_index::none) place = 0;
  }
  return known_pairs_.size() <= heavy_pairs::most_pairs;
}

void hotspot_sums::hand_out_stacks() {
  for (stack_tree::node_id stack = 1; stack < counts_.size(); ++stack) {
    stack_count const& count = counts_[stack];
    if (count.blocks == 0) continue;
    add_self(count.function, stacks_->code(stack), count.samples);
    for (const std::uint32_t caller : callers_of(stack)) {
      under_[caller] += count.samples;
      pairs_.add(count.function, caller, count.blocks);
    }
  }
  stacks_.reset();
  counts_ = {};
}

void hotspot_sums::hand_out(trace::event const& e, trace::reader const& reader) {
  last_stack& stack = last_stacks_[e.domain];
  const auto callers = stack.callers(e, [&](std::size_t i) {
    return functions_.of(e.backtrace[i], e.backtrace.first(i), codes_, reader).function;
  });
  if (e.backtrace.empty()) return;
  const std::uint32_t f = stack.innermost();
  add_self(f, codes_.find(e.backtrace.back(), reader), e.n_samples);
  for (const std::uint32_t caller : callers) {
    under_[caller] += e.n_samples;
    pairs_.add(f, caller);
  }
}

void hotspot_sums::add_self(std::uint32_t function, code_table::id code, std::uint64_t samples) {
  if (self_.size() < functions_.size()) {
    self_.resize(functions_.size());
    under_.resize(functions_.size());
  }
  if (at_.size() < codes_.size()) at_.resize(codes_.size());
  self_[function] += samples;
  under_[function] += samples;
  at_[code] += samples;
}

}  // namespace memprof::analysis
