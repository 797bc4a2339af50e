// SPDX-License-Identifier: MIT
/// \file
/// The second half of memprof/bounds.hpp: definitions.
#pragma once

#include <cstdint>
#include <limits>

#include "memprof/bounds.hpp"
#include "memprof/detail/binomial_tail.hpp"
#include "memprof/detail/bounds_arguments.hpp"
#include "memprof/detail/integer_root.hpp"
#include "memprof/detail/sample_count.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {
namespace detail::statistics {

inline constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// Where the search for n with n p = k begins.
constexpr std::int64_t words_for(std::int64_t k, double per_word) noexcept {
  const double n = static_cast<double>(k) / per_word;
  return n < 9e18 ? static_cast<std::int64_t>(n) : most;
}

/// d log(P(X >= k) / P(X < k)) / dn of (14).
constexpr double slope_in_words(binomial_tails const& s, std::int64_t k, std::int64_t n,
                                double per_word) noexcept {
  const double chance = s.upper_is_small ? 1.0 - per_word : per_word;
  return chance / (static_cast<double>(n - k + 1) * s.integral * (1.0 - s.small()));
}

/// Minus d log(P(X >= k) / P(X < k)) / dk of (15), as the difference to k + 1.
constexpr double slope_in_samples(binomial_tails const& s, std::int64_t k,
                                  double per_word) noexcept {
  const double step = 1.0 / (static_cast<double>(k) * s.integral);
  const double change = s.upper_is_small ? (step < 1.0 ? -log(1.0 - step) : 40.0)
                                         : log(1.0 + step * per_word / (1.0 - per_word));
  return change / (1.0 - s.small());
}

constexpr std::int64_t safe_words(std::int64_t k, double t, double per_word) {
  if (!(per_word > 0.0)) return most;
  const risk_level risk{t};
  const auto look_at = [&](std::int64_t n) {
    const binomial_tails s = tails(k, n, per_word);
    const bool complement = !s.upper_is_small;
    return look{!risk.is_above(s, complement), risk.distance(s, complement),
                slope_in_words(s, k, n, per_word)};
  };
  const std::int64_t unsafe =
      first_reached(k - 1, most, words_for(k, per_word), coordinate::logarithmic, look_at);
  return unsafe < most || look_at(most).reached ? unsafe - 1 : most;
}

constexpr std::int64_t certain_words(std::int64_t k, double t, double per_word) {
  const risk_level risk{t};
  const auto look_at = [&](std::int64_t n) {
    const binomial_tails s = tails(k, n, per_word);
    const bool complement = s.upper_is_small;
    return look{risk.is_above(s, complement), -risk.distance(s, complement),
                slope_in_words(s, k, n, per_word)};
  };
  const std::int64_t least =
      first_reached(k - 1, most, words_for(k, per_word), coordinate::linear, look_at);
  if (least == most && !look_at(most).reached) {
    refuse("certain_interruption", "no amount is enough at this rate");
  }
  return least;
}

/// Least k >= 1 with P(Bin(n, p) >= k) < t.
constexpr std::int64_t safe_samples(std::int64_t n, double t, double per_word) {
  const risk_level risk{t};
  const auto look_at = [&](std::int64_t k) {
    const binomial_tails s = tails(k, n, per_word);
    const bool complement = !s.upper_is_small;
    return look{risk.is_above(s, complement), -risk.distance(s, complement),
                slope_in_samples(s, k, per_word)};
  };
  const double mean = static_cast<double>(n) * per_word;
  const std::int64_t start = mean < 9e18 ? static_cast<std::int64_t>(mean) + 1 : n;
  return first_reached(0, n == most ? most : n + 1, start, coordinate::linear, look_at);
}

constexpr std::int64_t limit_units(char const* function, std::int64_t n, double t,
                                   int units_per_word, double per_word) {
  if (!(per_word > 0.0)) return 0;
  const std::int64_t least = least_limit(safe_samples(n, t, per_word), units_per_word, per_word);
  if (least < 0) refuse(function, "the limit would not fit 63 bits");
  return least;
}

}  // namespace detail::statistics

constexpr std::int64_t samples_to_interrupt(words limit, sampling_rate rate) {
  detail::statistics::check_not_negative("samples_to_interrupt", "limit", limit);
  return detail::statistics::samples_needed(limit.count(), 1, rate.per_word());
}
constexpr std::int64_t samples_to_interrupt(bytes limit, sampling_rate rate) {
  detail::statistics::check_not_negative("samples_to_interrupt", "limit", limit);
  return detail::statistics::samples_needed(limit.count(), 8, rate.per_word());
}

constexpr double probability_triggered(words n, sampling_rate rate) {
  detail::statistics::check_not_negative("probability_triggered", "amount", n);
  return detail::statistics::tails(1, n.count(), rate.per_word()).upper();
}
constexpr double probability_triggered(bytes n, sampling_rate rate) {
  detail::statistics::check_not_negative("probability_triggered", "amount", n);
  return probability_triggered(ceil_to_words(n), rate);
}

constexpr double probability_interrupted(words limit, words n, sampling_rate rate) {
  detail::statistics::check_not_negative("probability_interrupted", "amount", n);
  const std::int64_t k = samples_to_interrupt(limit, rate);
  return detail::statistics::tails(k, n.count(), rate.per_word()).upper();
}
constexpr double probability_interrupted(bytes limit, bytes n, sampling_rate rate) {
  detail::statistics::check_not_negative("probability_interrupted", "amount", n);
  const std::int64_t k = samples_to_interrupt(limit, rate);
  return detail::statistics::tails(k, ceil_to_words(n).count(), rate.per_word()).upper();
}

constexpr double probability_not_interrupted(words limit, words n, sampling_rate rate) {
  detail::statistics::check_not_negative("probability_not_interrupted", "amount", n);
  const std::int64_t k = samples_to_interrupt(limit, rate);
  return detail::statistics::tails(k, n.count(), rate.per_word()).lower();
}
constexpr double probability_not_interrupted(bytes limit, bytes n, sampling_rate rate) {
  detail::statistics::check_not_negative("probability_not_interrupted", "amount", n);
  const std::int64_t k = samples_to_interrupt(limit, rate);
  return detail::statistics::tails(k, ceil_to_words(n).count(), rate.per_word()).lower();
}

constexpr words safe_allocation(words limit, double t, sampling_rate rate) {
  detail::statistics::check_risk("safe_allocation", t);
  const std::int64_t k = samples_to_interrupt(limit, rate);
  return words{detail::statistics::safe_words(k, t, rate.per_word())};
}
constexpr bytes safe_allocation(bytes limit, double t, sampling_rate rate) {
  detail::statistics::check_risk("safe_allocation", t);
  const std::int64_t k = samples_to_interrupt(limit, rate);
  return words{detail::statistics::safe_words(k, t, rate.per_word())};
}

constexpr words certain_interruption(words limit, double t, sampling_rate rate) {
  detail::statistics::check_risk("certain_interruption", t);
  detail::statistics::check_samples("certain_interruption", rate);
  const std::int64_t k = samples_to_interrupt(limit, rate);
  return words{detail::statistics::certain_words(k, t, rate.per_word())};
}
constexpr bytes certain_interruption(bytes limit, double t, sampling_rate rate) {
  detail::statistics::check_risk("certain_interruption", t);
  detail::statistics::check_samples("certain_interruption", rate);
  const std::int64_t k = samples_to_interrupt(limit, rate);
  const std::int64_t n = detail::statistics::certain_words(k, t, rate.per_word());
  if (n > detail::statistics::most / 8) {
    detail::statistics::refuse("certain_interruption", "the amount would not fit 63 bits");
  }
  return words{n};
}

constexpr words limit_for_safe(words n, double t, sampling_rate rate) {
  detail::statistics::check_not_negative("limit_for_safe", "amount", n);
  detail::statistics::check_risk("limit_for_safe", t);
  return words{detail::statistics::limit_units("limit_for_safe", n.count(), t, 1, rate.per_word())};
}
constexpr bytes limit_for_safe(bytes n, double t, sampling_rate rate) {
  detail::statistics::check_not_negative("limit_for_safe", "amount", n);
  detail::statistics::check_risk("limit_for_safe", t);
  return bytes{detail::statistics::limit_units("limit_for_safe", ceil_to_words(n).count(), t, 8,
                                               rate.per_word())};
}

constexpr double minimal_rate(words n, double ratio, double t) {
  namespace statistics = detail::statistics;
  statistics::check_risk("minimal_rate", t);
  if (n.count() < 1) statistics::refuse("minimal_rate", "the amount is less than a word");
  const auto amount = static_cast<double>(n.count());
  const double limit = ratio * amount;
  if (!(ratio > 1.0 && limit < 9e18)) {
    statistics::refuse_number("minimal_rate", "ratio", ratio, "over 1 with a limit of 63 bits");
  }
  // P(Bin(n, k/l) >= k) falls as k grows: by doubling, then by halving.
  const auto largest = static_cast<std::int64_t>(limit);
  const statistics::risk_level risk{t};
  const auto is_safe = [&](std::int64_t k) {
    const auto s = statistics::tails(k, n.count(), static_cast<double>(k) / limit);
    return risk.is_above(s, !s.upper_is_small);
  };
  std::int64_t low = 0;
  std::int64_t high = 1;
  while (high < largest && !is_safe(high)) {
    low = high;
    high = high > largest / 2 ? largest : high * 2;
  }
  if (high == largest && !is_safe(high)) {
    statistics::refuse("minimal_rate", "even at rate 1 the limit is over the ratio");
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (is_safe(middle) ? high : low) = middle;
  }
  return static_cast<double>(high) / limit;
}
constexpr double minimal_rate(bytes n, double ratio, double t) {
  detail::statistics::check_not_negative("minimal_rate", "amount", n);
  return minimal_rate(ceil_to_words(n), ratio, t);
}

}  // namespace memprof::inline v0
