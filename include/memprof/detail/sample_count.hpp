// SPDX-License-Identifier: MIT
/// \file
/// How many samples an allocation limit waits for, and back: used by the engine and the bounds.
///
/// \see docs/statistical.md (3), (9).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace memprof::inline v0::detail::statistics {

__extension__ using wide = unsigned __int128;

/// S = 1/p in words, taken as an integer where p is the double next to 1/integer, so that k x S is
/// exact. per_word in (0, 1].
constexpr double mean_interval(double per_word) noexcept {
  const double interval = 1.0 / per_word;
  if (interval >= 9e15) return interval;  // whole anyway
  const auto whole = static_cast<double>(static_cast<std::int64_t>(interval + 0.5));
  const double apart = interval > whole ? interval - whole : whole - interval;
  return apart < 1e-9 * whole ? whole : interval;
}

/// k = max(1, ceil(l p)): the sample at which a limit of l words is hit.
///
/// A limit is so many `units` of which a word has `units_per_word` (1: words; 8: bytes).
/// p is a rounded number: 1e-4 is no double. Where l p is within a relative 2^-52 over a whole
/// number, it is that number: 10 kw at 1e-4 is 1, not 2. (Above 2^40 samples a double no longer
/// says what was meant; l p is then taken as it stands.)
///
/// \param units >= 0.
/// \param per_word in [0, 1]; at 0 the result is 1, though no sample ever comes.
/// \note Cost: nanoseconds: the product is exact in 116 bits.
constexpr std::int64_t samples_needed(std::int64_t units, int units_per_word,
                                      double per_word) noexcept {
  if (!(per_word > 0.0) || units <= 0) return 1;
  const auto bits = std::bit_cast<std::uint64_t>(per_word);
  const int exponent = static_cast<int>(bits >> 52);
  if (exponent < 1023 - 70) return 1;  // l p < 2^63 2^-70
  const std::uint64_t mantissa = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  const int shift = 1075 - exponent + (units_per_word == 8 ? 3 : 0);  // in [52, 125]
  const wide product = static_cast<wide>(units) * mantissa;
  const wide whole = product >> shift;
  const wide rest = product - (whole << shift);
  const wide tolerance = whole < (wide{1} << 40) ? product >> 52 : 0;
  const auto k = static_cast<std::int64_t>(whole) + (rest > tolerance ? 1 : 0);
  return k > 1 ? k : 1;
}

/// The least number of units for which `samples_needed` is k; -1 if it does not fit 63 bits.
/// k >= 1; per_word in (0, 1].
constexpr std::int64_t least_limit(std::int64_t k, int units_per_word, double per_word) noexcept {
  if (k <= 1) return 0;
  // Monotone in the units: bisection on 63 bits costs less than the care for a closed form.
  std::int64_t low = 0;
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  if (samples_needed(high, units_per_word, per_word) < k) return -1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (samples_needed(middle, units_per_word, per_word) >= k ? high : low) = middle;
  }
  return high;
}

/// Words charged, n S for n samples, from which on a sampled limit counts as reached.
///
/// Any number in ((k-1) S, k S] would do for sums of one S. This one is the limit itself unless
/// that is too close to either end for sums of a fractional S, which round. (In a budget whose
/// runs had different rates the sums are no multiples of one S.)
///
/// \param limit bytes, >= 0.
constexpr double charge_threshold(std::int64_t limit, double per_word) noexcept {
  const double interval = mean_interval(per_word);
  const auto k = static_cast<double>(samples_needed(limit, 8, per_word));
  const double words = static_cast<double>(limit) / 8.0;
  const double least = (k - 1.0 + 1.0 / 64) * interval;
  const double most = (k - 1.0 / 64) * interval;
  return words < least ? least : words > most ? most : words;
}

}  // namespace memprof::inline v0::detail::statistics
