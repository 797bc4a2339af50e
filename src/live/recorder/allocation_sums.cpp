// SPDX-License-Identifier: MIT
#include "recorder/allocation_sums.hpp"

namespace memprof::recorder {

std::uint32_t allocation_sums::add(backtrace const& stack, std::uint64_t length,
                                   std::uint64_t samples) {
  key k{nullptr, length};
  if (const auto known = stacks_.find(stack); known != stacks_.end()) k.stack = &known->first;
  auto at = k.stack != nullptr ? indexes_.find(k) : indexes_.end();
  if (at == indexes_.end()) {
    if (rows_.size() < most_rows_) {
      if (k.stack == nullptr) k.stack = &stacks_.try_emplace(stack).first->first;
    } else {
      k = {nullptr, std::bit_floor(length)};  // 64 of these at most
    }
    const auto [place, fresh] = indexes_.try_emplace(k, rows_.size());
    if (fresh) rows_.push_back({.stack = k.stack, .length = k.length});
    at = place;
  }
  row& r = rows_[at->second];
  r.allocated += samples;
  r.in_use += samples;
  allocated_ += samples;
  return at->second;
}

void allocation_sums::remove_all() noexcept {
  for (row& r : rows_) r.in_use = 0;
}

}  // namespace memprof::recorder
