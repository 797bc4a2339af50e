// SPDX-License-Identifier: MIT
/// \file
/// The second half of memprof/memory_bounds.hpp: definitions.
#pragma once

#include <cstdint>
#include <limits>

#include "memprof/detail/binomial_tail.hpp"
#include "memprof/detail/bounds_arguments.hpp"
#include "memprof/memory_bounds.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {
namespace detail::statistics {

/// x log(x/m) + m - x in double, relative 1e-15: nothing cancels.
constexpr double small_deviance(double x, double m) noexcept {
  return x > 0 ? -x * log1p_minus((m - x) / x) : m;
}

/// n D(l/n S || p) of (20): minus the logarithm of the bound, for an estimate of l words where n
/// are live. Infinite (1e300) where no estimate can be so large.
constexpr double chernoff_exponent(double n, double l, double per_word) noexcept {
  const double k = l * per_word;
  if (k > n) return 1e300;
  const double missed = n - k;
  return small_deviance(k, n * per_word) +
         (per_word < 1 ? small_deviance(missed, n * (1 - per_word)) : 0.0);
}

/// The engine rounds weights of 64 KiB and more to a byte, smaller ones to 2^-20 of it. What a
/// weight is a multiple of, as a part of a byte:
constexpr std::int64_t parts_of_byte(double weight) noexcept {
  return weight < 65536 ? 1 << 20 : 1;
}
/// The relative error of a weight, which is 8 S bytes or more, by that, at most.
constexpr double weight_rounding(double per_word) noexcept {
  constexpr double of_whole_bytes = 0.5 / 65536;
  return per_word / 16 < of_whole_bytes ? per_word / 16 : of_whole_bytes;
}

/// Minus the logarithm of P(the estimate of n words is over l), or 0.
constexpr double exponent_over(double n, double l, double per_word) noexcept {
  const double rounded = per_word < 1 ? l / (1 + weight_rounding(per_word)) : l;
  if (per_word >= 1) return n > l ? 0.0 : 1e300;
  return n > 0 ? (rounded > n ? chernoff_exponent(n, rounded, per_word) : 0.0) : 1e300;
}
/// Minus the logarithm of P(the estimate of n words is not over l), or 0.
constexpr double exponent_not_over(double n, double l, double per_word) noexcept {
  if (per_word >= 1) return n > l ? 1e300 : 0.0;
  const double rounded = l / (1 - weight_rounding(per_word));
  return rounded < n ? chernoff_exponent(n, rounded, per_word) : 0.0;
}

constexpr double in_words(bytes amount) noexcept {
  return static_cast<double>(amount.count()) / 8.0;
}

constexpr void check_memory(char const* function, bytes limit, bytes live, sampling_rate rate) {
  check_not_negative(function, "limit", limit);
  check_not_negative(function, "amount", live);
  check_samples(function, rate);
}

/// Least whole number of words in (0, 2^60) for which `holds`, which is monotone; -1 if none.
template <class Predicate>
constexpr std::int64_t least_words(Predicate const& holds) {
  std::int64_t low = -1;
  std::int64_t high = std::int64_t{1} << 60;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(static_cast<double>(middle)) ? high : low) = middle;
  }
  return high < std::int64_t{1} << 60 ? high : -1;
}

constexpr void check_blocks(char const* function, words block, std::int64_t blocks,
                            sampling_rate rate) {
  if (block.count() < 1) refuse(function, "a block counts at least a word");
  if (blocks < 0) refuse_negative(function, "number of blocks", blocks);
  check_samples(function, rate);
}

}  // namespace detail::statistics

constexpr double inclusion_probability(words block, sampling_rate rate) {
  detail::statistics::check_not_negative("inclusion_probability", "block", block);
  return detail::statistics::tails(1, block.count(), rate.per_word()).upper();
}

constexpr double variance_by_samples(words n, sampling_rate rate) {
  detail::statistics::check_not_negative("variance_by_samples", "amount", n);
  detail::statistics::check_samples("variance_by_samples", rate);
  const double p = rate.per_word();
  return static_cast<double>(n.count()) * ((1 - p) / p);
}

constexpr double variance_by_inclusion(words block, std::int64_t blocks, sampling_rate rate) {
  const double w = static_cast<double>(block.count());
  return w * w * count_variance_by_inclusion(block, blocks, rate);
}

constexpr double count_variance_by_samples(words block, std::int64_t blocks, sampling_rate rate) {
  detail::statistics::check_blocks("count_variance_by_samples", block, blocks, rate);
  const double p = rate.per_word();
  return static_cast<double>(blocks) * ((1 - p) / p) / static_cast<double>(block.count());
}

constexpr double count_variance_by_inclusion(words block, std::int64_t blocks, sampling_rate rate) {
  detail::statistics::check_blocks("variance_by_inclusion", block, blocks, rate);
  const auto q = detail::statistics::tails(1, block.count(), rate.per_word());
  return static_cast<double>(blocks) * (q.lower() / q.upper());
}

constexpr double probability_memory_interrupted(bytes limit, bytes live, sampling_rate rate) {
  namespace statistics = detail::statistics;
  statistics::check_memory("probability_memory_interrupted", limit, live, rate);
  return statistics::exp(-statistics::exponent_over(statistics::in_words(live),
                                                    statistics::in_words(limit), rate.per_word()));
}

constexpr double probability_memory_ever_interrupted(bytes limit, bytes live, bytes allocated,
                                                     sampling_rate rate) {
  namespace statistics = detail::statistics;
  statistics::check_memory("probability_memory_ever_interrupted", limit, live, rate);
  statistics::check_not_negative("probability_memory_ever_interrupted", "amount", allocated);
  const double p = rate.per_word();
  const double n = statistics::in_words(live);
  const double l = statistics::in_words(limit) / (1 + statistics::weight_rounding(p));
  const double once = probability_memory_interrupted(limit, live, rate);
  if (once >= 1 || once <= 0) return once;
  // e^(theta S) at the best theta; a block under S words weighs at most S / (1 - 1/e).
  const double tilt = l * (1 - p) / (n - l * p);
  const double samples = statistics::in_words(allocated) * p;
  const double ever = samples * statistics::exp(1.5819767068693265 * statistics::log(tilt)) * once;
  return ever < once ? once : ever > 1 ? 1.0 : ever;
}

constexpr double probability_memory_interrupted(bytes limit, words block, std::int64_t blocks,
                                                sampling_rate rate) {
  namespace statistics = detail::statistics;
  statistics::check_not_negative("probability_memory_interrupted", "limit", limit);
  statistics::check_blocks("probability_memory_interrupted", block, blocks, rate);
  const double q = inclusion_probability(block, rate);
  const double weight = static_cast<double>(block.count()) * 8.0 / q;
  if (weight >= 4e18) return statistics::tails(1, blocks, q).upper();
  // As the engine rounds it; and how many of them the limit has room for, without overflow.
  const std::int64_t parts = statistics::parts_of_byte(weight);
  const auto rounded = static_cast<std::int64_t>(weight * static_cast<double>(parts) + 0.5);
  const std::int64_t within =
      limit.count() / rounded * parts + limit.count() % rounded * parts / rounded;
  return statistics::tails(within + 1, blocks, q).upper();
}

constexpr double probability_memory_not_interrupted(bytes limit, bytes live, sampling_rate rate) {
  namespace statistics = detail::statistics;
  statistics::check_memory("probability_memory_not_interrupted", limit, live, rate);
  return statistics::exp(-statistics::exponent_not_over(
      statistics::in_words(live), statistics::in_words(limit), rate.per_word()));
}

constexpr bytes safe_memory(bytes limit, double t, sampling_rate rate) {
  namespace statistics = detail::statistics;
  statistics::check_memory("safe_memory", limit, bytes{}, rate);
  statistics::check_risk("safe_memory", t);
  const double deep = -statistics::log(t);
  const std::int64_t unsafe = statistics::least_words([&](double n) {
    return statistics::exponent_over(n, statistics::in_words(limit), rate.per_word()) <= deep;
  });
  return words{(unsafe < 0 ? std::int64_t{1} << 60 : unsafe) - 1};
}

constexpr bytes certain_memory_interruption(bytes limit, double t, sampling_rate rate) {
  namespace statistics = detail::statistics;
  statistics::check_memory("certain_memory_interruption", limit, bytes{}, rate);
  statistics::check_risk("certain_memory_interruption", t);
  const double deep = -statistics::log(t);
  const std::int64_t least = statistics::least_words([&](double n) {
    return statistics::exponent_not_over(n, statistics::in_words(limit), rate.per_word()) > deep;
  });
  if (least < 0) statistics::refuse("certain_memory_interruption", "it would not fit 63 bits");
  return words{least};
}

constexpr bytes memory_limit_for_safe(bytes live, double t, sampling_rate rate) {
  namespace statistics = detail::statistics;
  statistics::check_memory("memory_limit_for_safe", bytes{}, live, rate);
  statistics::check_risk("memory_limit_for_safe", t);
  const double deep = -statistics::log(t);
  const std::int64_t least = statistics::least_words([&](double l) {
    return statistics::exponent_over(statistics::in_words(live), l, rate.per_word()) > deep;
  });
  if (least < 0) statistics::refuse("memory_limit_for_safe", "it would not fit 63 bits");
  return words{least};
}

}  // namespace memprof::inline v0
