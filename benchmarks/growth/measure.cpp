// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace growth {

namespace {

template <class F>
double median_ns(std::int64_t pairs, F&& stretch) {
  std::array<double, 9> seen{};
  for (double& each : seen) {
    const std::int64_t start = thread_ns();
    stretch();
    each = static_cast<double>(thread_ns() - start) / static_cast<double>(pairs);
  }
  std::ranges::nth_element(seen, seen.begin() + 4);
  return seen[4];
}

}  // namespace

mixture::mixture() : blocks_(512) {
  for (void*& block : blocks_) block = ::operator new(16 + random_() % 497);
}

mixture::~mixture() {
  for (void* block : blocks_) ::operator delete(block);
}

void mixture::run(std::int64_t pairs) {
  for (; pairs > 0; --pairs) {
    const std::uint64_t r = random_();
    void*& block = blocks_[r % 512];
    ::operator delete(block);
    block = keep(::operator new(16 + (r >> 32) % 497));
  }
}

double mixture::ns_per_pair(std::int64_t pairs) {
  run(pairs / 4);
  return median_ns(pairs, [&] { run(pairs); });
}

double ns_per_pair_of(std::size_t size, std::int64_t pairs) {
  return median_ns(pairs, [&] {
    for (std::int64_t i = 0; i < pairs; ++i) ::operator delete(keep(::operator new(size)));
  });
}

}  // namespace growth
