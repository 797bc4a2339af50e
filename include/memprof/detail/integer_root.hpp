// SPDX-License-Identifier: MIT
/// \file
/// The least integer from which on a monotone condition holds, in few evaluations.
#pragma once

#include <cstdint>

#include "memprof/detail/binomial_tail.hpp"

namespace memprof::inline v0::detail::statistics {

/// What was seen at x.
///
///  - `reached`: the condition, exactly: it decides, the others only guide.
///  - `distance`: of a smooth increasing function from where the condition begins; its slope there.
struct look {
  bool reached;
  double distance;
  double slope;
};

/// In which coordinate the function is the straighter.
enum class coordinate : std::uint8_t { linear, logarithmic };

/// Newton's estimate of the root, as a double.
constexpr double newton_target(std::int64_t x, look const& seen, coordinate in) noexcept {
  const auto at = static_cast<double>(x);
  const double step = -seen.distance / seen.slope;
  if (in == coordinate::linear || x < 1) return at + step;
  const double exponent = step / at;
  return exponent > 40 ? at * exp(40.0) : at * exp(exponent);
}

/// Least x in (low, high] with look_at(x).reached, which is taken to hold at `high` and not at
/// `low` without looking there. Newton within a shrinking bracket; every third step halves it once
/// Newton has had its chance, so that it ends after 200 looks whatever it is given.
template <class Look>
constexpr std::int64_t first_reached(std::int64_t low, std::int64_t high, std::int64_t start,
                                     coordinate in, Look const& look_at) {
  std::int64_t x = start;
  for (int turn = 0; high - low > 1; ++turn) {
    if (x <= low) x = low + 1;
    if (x >= high) x = high - 1;
    const look seen = look_at(x);
    (seen.reached ? high : low) = x;
    const std::int64_t middle = low + (high - low) / 2;
    if (!(seen.slope > 0) || (turn > 24 && turn % 3 == 0)) {
      x = middle;
      continue;
    }
    const double target = newton_target(x, seen, in);
    // Rounded to the far side of the root, so that two looks enclose it.
    if (!(target > static_cast<double>(low))) {
      x = low + 1;
    } else if (!(target < static_cast<double>(high))) {
      x = high - 1;
    } else {
      x = static_cast<std::int64_t>(target) + (seen.reached ? 0 : 1);
    }
  }
  return high;
}

/// A tail against a risk t in (0, 1), both exact in log space.
class risk_level {
 public:
  constexpr explicit risk_level(double t) noexcept : risk_level(meant_risk(t)) {}

  /// P < t, where P is the small tail, or (`complement`) one minus it.
  ///
  /// A P that equals t up to rounding is not below it: p^k = t for p = 0.1, k = 3, t = 1e-3, of
  /// which no double is exact.
  [[nodiscard]] constexpr bool is_above(binomial_tails const& s, bool complement) const noexcept {
    return complement ? s.log_small > log_rest_ + tie_ : s.log_small < log_ - tie_;
  }
  /// log(P / (1-P)) - log(t / (1-t)).
  [[nodiscard]] constexpr double distance(binomial_tails const& s, bool complement) const noexcept {
    const double rest = log(1.0 - s.small());
    const auto odds = static_cast<double>(log_rest_ - log_);
    const auto small = static_cast<double>(s.log_small);
    return complement ? rest - small + odds : small - rest + odds;
  }

 private:
  /// The double next to 1/integer means that, as 1e-9 does. What else t is, it is exactly.
  struct meaning {
    quad t;
    quad tie;  ///< relative, of P: what the rounding of a rate makes of p^k
  };
  static constexpr meaning meant_risk(double t) noexcept {
    if (t > 1e-15 && t < 1.0) {
      const auto whole = static_cast<double>(static_cast<std::int64_t>(1.0 / t + 0.5));
      if (1.0 / whole == t) return {1 / static_cast<quad>(whole), 2e-15};
    }
    return {static_cast<quad>(t), 0};
  }
  constexpr explicit risk_level(meaning m) noexcept
      : log_(log(m.t)), log_rest_(log(1 - m.t)), tie_(m.tie) {}

  quad log_;
  quad log_rest_;
  quad tie_;
};

}  // namespace memprof::inline v0::detail::statistics
