// SPDX-License-Identifier: MIT
#include "delivery/reader/pad_outcomes.hpp"

namespace memprof::delivery {

bool arrivals::add(arrival a) noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (all_[i].pc == a.pc && all_[i].type == a.type) return true;
  }
  if (count_ == all_.size()) return false;
  all_[count_++] = a;
  return true;
}

bool arrivals::take(arrival& a) noexcept {
  if (taken_ == count_) return false;
  a = all_[taken_++];
  return true;
}

}  // namespace memprof::delivery
