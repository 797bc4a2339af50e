// SPDX-License-Identifier: MIT
#include "delivery/reader/pad_blocks.hpp"

namespace memprof::delivery {

void pad_blocks::reset() noexcept {
  index_.fill(free);
  count_ = 0;
  waiting_.clear();
}

std::size_t pad_blocks::find(std::uintptr_t address, bool handling) const noexcept {
  const std::uint64_t key = (address << 1) + (handling ? 1 : 0);
  static_assert(2 * capacity == std::size_t{1} << 12);
  std::size_t at = (key * 0x9e3779b97f4a7c15U) >> (64 - 12);
  while (index_[at] != free) {
    block const& b = blocks_[index_[at]];
    if (b.address == address && b.handling == handling) break;
    at = (at + 1) % index_.size();
  }
  return at;
}

bool pad_blocks::reach(std::uintptr_t address, bool handling,
                       processor::values const& known) noexcept {
  std::uint16_t& index = index_[find(address, handling)];
  if (index == free) {
    if (count_ == capacity) return false;
    index = static_cast<std::uint16_t>(count_++);
    block& b = blocks_[index];
    b.address = address;
    b.handling = handling;
    b.waiting = false;
    b.values = known;
  } else if (!blocks_[index].values.join(known)) {
    return true;
  }
  block& reached = blocks_[index];
  if (!reached.waiting) reached.waiting = waiting_.push(index);
  return reached.waiting;
}

pad_blocks::block const* pad_blocks::take() noexcept {
  std::uint16_t index = free;
  if (!waiting_.pop(index)) return nullptr;
  block& b = blocks_[index];
  b.waiting = false;
  return &b;
}

}  // namespace memprof::delivery
