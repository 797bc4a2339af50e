// SPDX-License-Identifier: MIT
/// \file
/// Samples thinned by powers of two, the same ones whenever a block is looked at: the law of
/// `memprof subsample`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>

namespace memprof::page_columns {

/// SplitMix64: bits that look random, from a number.
class bits_of {
 public:
  using result_type = std::uint64_t;
  explicit constexpr bits_of(std::uint64_t seed) noexcept : state_(seed) {}
  constexpr result_type operator()() noexcept {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }
  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }

 private:
  std::uint64_t state_;
};

/// How many of a block's samples are left when half of all samples goes `halvings` times: binomial
/// in `samples` and 2^-halvings, independent for each `id`. What is gone stays gone: one more
/// halving never leaves more.
///
/// \param samples counted as 2^32 if there are more: what libstdc++ draws from the law stays exact.
inline std::uint64_t thinned_samples(std::uint64_t samples, std::uint64_t id, unsigned halvings) {
  if (halvings == 0) return samples;
  // Each sample has a bit of its own in each word. Ids follow one another, their words must not.
  const std::uint64_t seed = bits_of(id)();
  constexpr std::uint64_t counted = 4096;  // beyond, bits would take longer than the law
  unsigned done = 0;
  for (; samples > counted && done < halvings; ++done) {
    bits_of random(~seed + done);
    std::binomial_distribution<std::int64_t> law(
        static_cast<std::int64_t>(std::min(samples, std::uint64_t{1} << 32)), 0.5);
    samples = static_cast<std::uint64_t>(law(random));
  }
  if (done == halvings) return samples;
  std::uint64_t kept = 0;
  for (std::uint64_t part = 0; part * 64 < samples; ++part) {
    const std::uint64_t left = samples - part * 64;
    std::uint64_t bits = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    bits_of random(seed ^ part);
    for (unsigned i = done; i < halvings && bits != 0; ++i) bits &= random();
    if (bits != 0) kept += static_cast<unsigned>(std::popcount(bits));
  }
  return kept;
}

}  // namespace memprof::page_columns
