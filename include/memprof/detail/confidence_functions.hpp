// SPDX-License-Identifier: MIT
/// \file
/// The second half of memprof/confidence.hpp: definitions; and the interval of a live estimate.
#pragma once

#include <cstdint>

#include "memprof/bounds.hpp"
#include "memprof/confidence.hpp"
#include "memprof/detail/bounds_arguments.hpp"
#include "memprof/detail/gamma_law.hpp"
#include "memprof/memory_bounds.hpp"

namespace memprof::inline v0 {
namespace detail::statistics {

constexpr count_interval binomial_interval(char const* function, std::uint64_t seen,
                                           double confidence, double probability) {
  check_confidence(function, confidence);
  if (!(probability > 0)) refuse(function, "at rate 0 no sample is ever taken");
  if (seen >= static_cast<std::uint64_t>(most)) refuse(function, "the count is over 63 bits");
  const double t = (1 - confidence) / 2;
  const auto k = static_cast<std::int64_t>(seen);
  return {k == 0 ? 0 : safe_words(k, t, probability) + 1, certain_words(k + 1, t, probability) - 1};
}

/// The sum behind a live estimate `value` with the unbiased estimate `variance` of its variance is
/// below `lower`, or above `upper`, with probability t: equation (26).
///
/// \param t in [1e-300, 1/2].
/// \note Accuracy: exact for small blocks (Garwood). For other mixtures the probability of a miss
///   was enumerated: docs/statistical.md says by how much it exceeds t at most.
/// \note No argument is checked: value, variance >= 0.
constexpr double live_lower(double value, double variance, double t) noexcept {
  if (!(variance > 0 && value > 0)) return value;
  // Fay and Feuer's gamma interval for a weighted sum of Poisson counts.
  const double lower = variance / value * gamma_quantile(value * (value / variance), t, true);
  return lower < value ? lower : value;
}

/// Whether live_lower is over `limit`: one tail instead of a root.
constexpr bool live_lower_is_over(double limit, double value, double variance, double t) noexcept {
  if (!(value > limit)) return false;
  if (!(limit > 0)) return live_lower(value, variance, t) > limit;
  if (!(variance > 0)) return true;
  return tail_of_gamma(value * (value / variance), limit * (value / variance), true).log_tail <
         log(t);
}

/// The part of a risk that look number j = 1, 2, ... may spend: all looks together spend it once,
/// however many there are. At j = 1e6 it is 5e-9, hardly less in a bound than 1e-6 would be.
///
/// \see docs/statistical.md (27a): the integral of 1/(x log^2 x) from e on is 1.
constexpr double share_of_look(double j) noexcept {
  constexpr double e = 2.718281828459045;
  const double l = log(j + e);
  return 1 / ((j + e) * l * l);
}

/// \param uncertain the part of `value` that is subject to chance: variance / S, where all blocks
///   were sampled at one rate; a sum over the blocks of variance / S, each with its own.
/// \param unit the longest mean interval S, in the unit of `value`, at which an unseen block may
///   have been missed.
constexpr double live_upper(double value, double uncertain, double variance, double unit,
                            double t) noexcept {
  const double y = value / unit;
  const double u = uncertain / unit;
  const double v = variance / (unit * unit);
  // What large blocks add without error, and one sampled block more than was seen. It weighs S, or
  // as much as a block of which one among so many large ones may go unsampled: (y/J) e^-J = t.
  const double certain = y > u ? y - u : 0;
  double unseen = 1;
  if (certain > 2.72 * t) {
    for (int i = 0; i < 20; ++i) unseen = log(certain / t / unseen);
    if (!(unseen > 1)) unseen = 1;
  }
  const double mean = u + unseen;
  const double spread = v + unseen * unseen;
  const double upper = certain + spread / mean * gamma_quantile(mean * mean / spread, t, false);
  return (upper > y ? upper : y) * unit;
}

/// Both, at one rate: together they miss the truth with probability 1 - confidence.
constexpr real_interval live_interval(double value, double variance, double unit,
                                      double confidence) noexcept {
  const double t = (1 - confidence) / 2;
  return {live_lower(value, variance, t), live_upper(value, variance / unit, variance, unit, t)};
}

}  // namespace detail::statistics

constexpr words_interval allocated_interval(std::uint64_t samples, double confidence,
                                            sampling_rate rate) {
  const count_interval n = detail::statistics::binomial_interval("allocated_interval", samples,
                                                                 confidence, rate.per_word());
  return {words{n.lower}, words{n.upper}};
}

constexpr count_interval blocks_interval(std::uint64_t tracked, words block, double confidence,
                                         sampling_rate rate) {
  if (block.count() < 1) {
    detail::statistics::refuse("blocks_interval", "a block counts at least a word");
  }
  return detail::statistics::binomial_interval("blocks_interval", tracked, confidence,
                                               inclusion_probability(block, rate));
}

constexpr real_interval poisson_interval(std::uint64_t count, double confidence) {
  detail::statistics::check_confidence("poisson_interval", confidence);
  const double t = (1 - confidence) / 2;
  const auto k = static_cast<double>(count);
  return {count == 0 ? 0.0 : detail::statistics::gamma_quantile(k, t, true),
          detail::statistics::gamma_quantile(k + 1, t, false)};
}

}  // namespace memprof::inline v0
