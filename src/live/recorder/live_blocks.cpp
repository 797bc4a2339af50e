// SPDX-License-Identifier: MIT
#include "recorder/live_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>

#include "encoding/encoding.hpp"
#include "relay/relay.hpp"

namespace memprof::recorder {

using relay::record_kind;

namespace {

/// Of all different stacks of live blocks, 256 MiB: beyond, a new one is kept without its frames.
constexpr std::size_t most_frames = std::size_t{1} << 25;
constexpr std::uint64_t latest_start = std::uint64_t{1} << 61;

}  // namespace

void live_blocks::take(relay::popped_record const& r) noexcept {
  if (!failure_.empty()) return;
  try {
    if (r.head.kind == record_kind::begin) return begin(r);
    if (rate_ == 0) return;
    if (r.head.kind == record_kind::module) modules_.announce(records::module_in(r));
    if (r.head.kind == record_kind::allocation) allocation(r);
    if (r.head.kind == record_kind::collection) remove(r.head.of);
    if (r.head.kind == record_kind::exit_began) exit_began_ = true;
  } catch (std::exception const& e) {  // no memory
    failure_ = e.what();
  }
}

/// Another program in the same process begins anew, too.
void live_blocks::begin(relay::popped_record const& r) {
  const auto rate = std::bit_cast<double>(r.body[0]);
  if (!(rate > 0.0 && rate <= 1.0)) return;
  program_ = r.text(relay::begin_words);
  rate_ = rate;
  if (start_time_ == 0) start_time_ = std::min(r.head.time, latest_start);
  exit_began_ = false;
  forget();
}

void live_blocks::forget() noexcept {
  blocks_ = {};
  stacks_ = {};
  n_blocks_ = 0;
  n_frames_ = 0;
  sum_ = {};
  modules_.unload_all();
  if (sums_) sums_->remove_all();
}

void live_blocks::allocation(relay::popped_record const& r) {
  if (r.head.of == 0 || r.head.of >= most_tags || r.head.detail > 2) return;
  const auto frames = r.body.subspan(relay::allocation_words);
  scratch_.clear();
  for (std::size_t i = frames.size(); i-- > 0;) {
    if (frames[i] > 1) scratch_.push_back(modules_.code_of(frames[i]));
  }
  remove(r.head.of);
  if (r.head.of >= blocks_.size()) blocks_.resize(r.head.of + std::size_t{1});
  if (n_frames_ + scratch_.size() > most_frames && !stacks_.contains(scratch_)) scratch_.clear();
  const auto [place, fresh] = stacks_.try_emplace(scratch_, 0);
  auto& stack = *place;
  ++stack.second;
  if (fresh) n_frames_ += scratch_.size();
  using encoding::largest_number;
  entry const& e =
      blocks_[r.head.of] = {.stack = &stack,
                            .length = std::min(r.body[0], largest_number),
                            .samples = std::clamp<std::uint64_t>(r.body[1], 1, largest_number),
                            .time = r.head.time,
                            .row = 0};
  if (sums_) blocks_[r.head.of].row = sums_->add(scratch_, e.length, e.samples);
  const live_amount a = amount_of(e.length);
  sum_.bytes += a.bytes;
  sum_.variance += a.variance;
  ++n_blocks_;
  sampled_ = true;
}

void live_blocks::remove(std::uint32_t tag) noexcept {
  if (tag >= blocks_.size() || blocks_[tag].stack == nullptr) return;
  entry& e = blocks_[tag];
  const live_amount a = amount_of(e.length);
  // With the last block the roundings of all the sums go, too.
  sum_ = --n_blocks_ == 0 ? live_amount{}
                          : live_amount{sum_.bytes - a.bytes, sum_.variance - a.variance};
  if (sums_) sums_->remove(e.row, e.samples);
  if (--e.stack->second == 0) {
    n_frames_ -= e.stack->first.size();
    stacks_.erase(stacks_.find(e.stack->first));
  }
  e = {};
}

live_amount live_blocks::amount() const noexcept {
  return {std::max(0.0, sum_.bytes), std::max(0.0, sum_.variance)};
}

live_amount live_blocks::amount_of(std::uint64_t length) const noexcept {
  const double words = static_cast<double>(length) + 1;
  // The probability that it is sampled.
  const double q = rate_ >= 1 ? 1 : -std::expm1(words * std::log1p(-rate_));
  const double bytes = 8 * words / q;
  return {bytes, bytes * bytes * (1 - q)};
}

}  // namespace memprof::recorder
