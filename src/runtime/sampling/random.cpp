// SPDX-License-Identifier: MIT
#include "sampling/random.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace memprof::sampling {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"): output n
// of the generator seeded with x is mix(x + n * gamma). mix is a bijection with mix(0) = 0, and
// gamma is odd.
constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;

constexpr std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

// Each of the four words has a SplitMix64 of its own, seeded from the one that `seed` starts:
//     key(i) = mix(seed + (i + 1) gamma)        s[i] = mix(key(i) + stream * gamma)
// Two streams of a seed differ in every word, because gamma is odd and mix is a bijection. They do
// not overlap shifted either, as they would if streams were offsets into one sequence of words.
// At most one word is zero: s[i] = 0 needs key(i) = -stream * gamma, and the four keys differ.
void seed(random_state& random, std::uint64_t seed, std::uint64_t stream) noexcept {
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::uint64_t const key = mix(seed + (i + 1) * gamma);
    random.s[i] = mix(key + stream * gamma);
  }
}

// xoshiro256++ 1.0 (Blackman, Vigna 2021, "Scrambled linear pseudorandom number generators", ACM
// TOMS 47(4)): period 2^256 - 1, equidistributed in 3 dimensions.
std::uint64_t next(random_state& random) noexcept {
  auto& s = random.s;
  std::uint64_t const result = std::rotl(s[0] + s[3], 23) + s[0];
  std::uint64_t const t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

// Write U in binary. The number of zeros Z before its first one is geometric, P(Z >= z) = 2^-z, and
// the bits after it are fair coins. So count zeros over as many words as it takes, and draw the
// bits afresh:
//     U = 2^-(Z+1) * (1 + m 2^-52)
// which is the layout of a double with exponent field 1022 - Z and mantissa field m:
//
//      63 62           52 51                    0
//     +--+---------------+-----------------------+      Z = 0, m = 0          1/2
//     | 0|    1022 - Z   |           m           |      Z = 0, m = 2^52 - 1   1 - 2^-53
//     +--+---------------+-----------------------+      Z = 2, m = 2^51       3/16
//
// Rounding down to 52 bits makes U too small by a relative 2^-54 on average. Z stops at 1021, the
// last exponent that is a normal number; that also ends the loop for a state that is all zero.
double uniform(random_state& random) noexcept {
  constexpr int most_zeros = 1021;
  int zeros = 0;
  while (zeros < most_zeros) {
    std::uint64_t const bits = next(random);
    zeros += std::countl_zero(bits);
    if (bits != 0) break;
  }
  if (zeros > most_zeros) zeros = most_zeros;
  std::uint64_t const exponent = 1022U - static_cast<std::uint64_t>(zeros);
  std::uint64_t const mantissa = next(random) >> 12;
  return std::bit_cast<double>(exponent << 52 | mantissa);
}

// P(-log U > x) = P(U < exp(-x)) = exp(-x).
double exponential(random_state& random) noexcept { return -std::log(uniform(random)); }

}  // namespace memprof::sampling
