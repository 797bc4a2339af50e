// SPDX-License-Identifier: MIT
#include "delivery/reader/pad_outcomes.hpp"

namespace memprof::delivery {

bool arrivals::add(arrival a) noexcept {
  for (arrival const& known : all_) {
    if (known.pc == a.pc && known.type == a.type) return true;
  }
  return all_.push(a);
}

bool arrivals::take(arrival& a) noexcept {
  if (taken_ == all_.size()) return false;
  a = all_.begin()[taken_++];
  return true;
}

}  // namespace memprof::delivery
