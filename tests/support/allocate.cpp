// SPDX-License-Identifier: MIT
#include "support/allocate.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>

#include "memprof/limits.hpp"
#include "memprof/process.hpp"

namespace memprof::test {

void churn(words total, std::size_t size) {
  words const each = block_words(bytes{static_cast<std::int64_t>(size)});
  for (; total >= each; total -= each) release(allocate(size), size);
  if (total > words{0}) {
    auto const rest = static_cast<std::size_t>((total.count() - 1) * 8);
    release(allocate(rest), rest);
  }
}

void churn_until(words most, words& granted, std::size_t size) {
  words const each = block_words(bytes{static_cast<std::int64_t>(size)});
  while (granted < most) {
    release(allocate(size), size);
    granted += each;
  }
}

void holder::add(std::size_t size) {
  size = std::max(size, sizeof(link));
  first_ = ::new (allocate(size)) link{.next = first_, .size = size};
  held_ += block_words(bytes{static_cast<std::int64_t>(size)});
}

void holder::fill(words total, std::size_t size) {
  while (held_ < total) add(size);
}

void holder::clear() noexcept {
  while (first_ != nullptr) {
    link* const next = first_->next;
    release(first_, first_->size);
    first_ = next;
  }
  held_ = words{};
}

with_seed::with_seed(std::uint64_t seed, sampling_rate limits) {
  set_limit_sampling_rate(limits);
  set_seed(seed);
}

with_seed::~with_seed() {
  set_global_memory_limit(std::nullopt);
  set_global_memory_victim(victim::allocating);
  set_global_memory_patience(std::chrono::seconds(1));
  set_process_sampling_rate(process_rate_);
  set_limit_sampling_rate(default_sampling_rate);
  set_nursery(nursery_);
}

}  // namespace memprof::test
