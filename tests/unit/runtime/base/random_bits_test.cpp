// SPDX-License-Identifier: MIT
#include "base/random_bits.hpp"

#include <bit>
#include <cerrno>
#include <cstdint>
#include <set>

#include "support/catch2.hpp"

using namespace memprof;

// 64 x 1000 bits, half of them ones: outside of 6.2 standard deviations once in 2e9 runs. Two of a
// thousand are equal once in 4e13.
template <class Draw>
void check_bits(Draw&& draw) {
  std::set<std::uint64_t> seen;
  int ones = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = draw();
    seen.insert(bits);
    ones += std::popcount(bits);
  }
  CHECK(seen.size() == 1000);
  CHECK(ones > 32'000 - 785);
  CHECK(ones < 32'000 + 785);
}

TEST_CASE("random_bits: different each time, half of them ones, errno kept") {
  errno = 77;
  check_bits([] { return base::random_bits(); });
  CHECK(errno == 77);
}

TEST_CASE("random_bits: the same without the kernel's") {
  check_bits([] { return base::detail::random_bits_without_kernel(); });
}
