// SPDX-License-Identifier: MIT
/// \file
/// Tails of the binomial law to 1e-13 relative, for any n of 63 bits and down to 1e-300 and below.
///
/// \see docs/statistical.md (10) to (13). The smaller tail is the mass at its end, computed in 113
///   bits, times an integral of a smooth concave exponent, by 40 Gauss points.
#pragma once

#include <array>
#include <cstdint>

#include "memprof/detail/real_numbers.hpp"

namespace memprof::inline v0::detail::statistics {

/// Nodes and weights of the Gauss-Legendre rule of 40 points on (0, 1): those below 1/2; the others
/// are 1 - node.
struct gauss_point {
  double node;
  double weight;
};
inline constexpr std::array<gauss_point, 20> gauss_points{{
    {0.0008811451447203998252, 0.002260638549266595629},
    {0.004636880650271496773, 0.005249142265576406807},
    {0.01137002500811286867, 0.008210529190953944356},
    {0.0210415903931041721, 0.01112292459708347863},
    {0.03359359586066173332, 0.01396850349001170055},
    {0.04895059651556285164, 0.0167300976412739237},
    {0.06702024839387024809, 0.01939108398723600882},
    {0.0876938845833441684, 0.021935454092836636},
    {0.1108471742867403062, 0.02434790381753611603},
    {0.1363408724050364484, 0.02661392349196841218},
    {0.1640216576929102258, 0.02871988454969577568},
    {0.193723055166009881, 0.03065312124646446958},
    {0.225266437452435899, 0.03240200672830051904},
    {0.2584620991569106435, 0.03395602290761695191},
    {0.2931103978141974992, 0.03530582369564338985},
    {0.3290029545871207635, 0.03644329119790202953},
    {0.3659239074963731594, 0.0373615845289841321},
    {0.4036512096493144501, 0.03805518095031312119},
    {0.4419579646623723958, 0.03851990908212398279},
    {0.480613791246974589, 0.03875297398921240563},
}};

/// log k! - ((k + 1/2) log k - k + log(2 pi)/2), for k >= 1; absolute 1e-16.
constexpr double stirling_rest(std::int64_t k) noexcept {
  constexpr std::array<double, 16> table{
      0,
      0.08106146679532725822,
      0.04134069595540929409,
      0.02767792568499833915,
      0.02079067210376509311,
      0.01664469118982119216,
      0.013876128823070748,
      0.0118967099458917701,
      0.0104112652619720965,
      0.009255462182712732918,
      0.008330563433362871256,
      0.007573675487951840795,
      0.006942840107209529866,
      0.006408994188004207068,
      0.005951370112758847736,
      0.005554733551962801371,
  };
  if (k < 16) return table[static_cast<std::size_t>(k)];
  const double r = 1.0 / static_cast<double>(k);
  const double y = r * r;
  // Bernoulli numbers; the first term left out is 1/(156 k^11): under 4e-16.
  return r * (1. / 12 -
              y * (1. / 360 -
                   y * (1. / 1260 - y * (1. / 1680 - y * (1. / 1188 - y * (691. / 360360))))));
}

/// x log(x/m) + m - x: what the mass at x loses by not being at the mean m (Loader 2000).
constexpr quad deviance(quad x, quad m) noexcept { return x * log(x / m) + (m - x); }

/// log P(Bin(n, p) = k), q = 1 - p; 0 <= k <= n; absolute 1e-14 for any n of 63 bits.
constexpr quad log_mass(std::int64_t k, std::int64_t n, quad p, quad q) noexcept {
  const auto trials = static_cast<quad>(n);
  const auto hits = static_cast<quad>(k);
  if (k == 0) return n == 0 ? quad{0} : trials * log(q);
  if (k == n) return trials * log(p);
  const double rest = stirling_rest(n) - stirling_rest(k) - stirling_rest(n - k);
  const quad deviances = deviance(hits, trials * p) + deviance(trials - hits, trials * q);
  constexpr double two_pi = 6.283185307179586;
  const double width =
      two_pi * static_cast<double>(k) * (static_cast<double>(n - k) / static_cast<double>(n));
  return static_cast<quad>(rest - 0.5 * log(width)) - deviances;
}

/// The integral of exp(f) over u in (0, 1), f(u) = a log(1-u) + b log(1 + r u) with slope -s at 0;
/// a, b >= 0, r > 0. f is concave, and rises to 2 at most, so beyond where it is -40 nothing is
/// left.
constexpr double tail_integral(double a, double b, double r, double s) noexcept {
  const auto f = [&](double u) {
    return -s * u + (a > 0 ? a * log1p_minus(-u) : 0.0) + (b > 0 ? b * log1p_minus(r * u) : 0.0);
  };
  // From the right of that place: each of the three terms is over -40 where all of them are.
  constexpr double deep = 40.0;
  double end = 1.0;
  if (s > 0 && deep < s * end) end = deep / s;
  if (a > 0 && 2 * deep < a * end * end) end = sqrt(2 * deep / a);
  // log(1+x) - x <= -3 x^2 / (6 + 4 x)
  if (b > 0) {
    const double x = (2 * deep + sqrt(4 * deep * deep + 18 * b * deep)) / (3 * b);
    if (x < r * end) end = x / r;
  }
  // Newton from the right stays on the right of it; -60 is near enough.
  for (int i = 0; i < 60 && end < 1.0; ++i) {
    const double value = f(end);
    if (value > -60.0) break;
    const double slope = -s - a * end / (1 - end) - b * r * r * end / (1 + r * end);
    end -= (value + deep) / slope;
  }
  double sum = 0.0;
  for (auto const& [node, weight] : gauss_points) {
    sum += weight * (exp(f(end * node)) + exp(f(end * (1.0 - node))));
  }
  return end * sum;
}

/// The two tails P(X >= k) and P(X < k) of X of Binomial(n, p): one of them is `small`.
///
///  - `upper_is_small`: P(X >= k) is the small one.
///  - `log_small`: its logarithm. Minus infinity is written as `none`.
///  - `integral`: J of equation (11), for derivatives.
struct binomial_tails {
  static constexpr quad none = -1e30;
  bool upper_is_small = true;
  quad log_small = none;
  double integral = 0.0;

  [[nodiscard]] constexpr double small() const noexcept { return exp(log_small); }
  [[nodiscard]] constexpr double upper() const noexcept {
    return upper_is_small ? small() : 1.0 - small();
  }
  [[nodiscard]] constexpr double lower() const noexcept {
    return upper_is_small ? 1.0 - small() : small();
  }
};

namespace tail_detail {

/// The tails by way of the one named; 1 <= k <= n, per_word in (0, 1).
constexpr binomial_tails by_one(std::int64_t k, std::int64_t n, double per_word,
                                bool upper) noexcept {
  const quad p = meant(per_word);
  const quad q = 1 - p;
  // P(X < k) = P(n - X >= n - k + 1), with p and q exchanged.
  const std::int64_t hits = upper ? k : n - k + 1;
  const quad hit = upper ? p : q;
  const quad miss = upper ? q : p;
  const quad slope = (static_cast<quad>(hits - 1) - static_cast<quad>(n - 1) * hit) / miss;
  binomial_tails result;
  result.upper_is_small = upper;
  result.integral = tail_integral(static_cast<double>(hits - 1), static_cast<double>(n - hits),
                                  static_cast<double>(hit / miss), static_cast<double>(slope));
  result.log_small = log_mass(hits, n, hit, miss);
  if (hits < n) {  // otherwise the mass is all, to the last bit
    result.log_small += static_cast<quad>(log(static_cast<double>(hits) * result.integral));
  }
  return result;
}

}  // namespace tail_detail

/// k >= 1, n >= 0, p in [0, 1].
constexpr binomial_tails tails(std::int64_t k, std::int64_t n, double per_word) noexcept {
  binomial_tails result;
  if (k > n || !(per_word > 0)) return result;  // P(X >= k) = 0
  if (per_word >= 1) {
    result.upper_is_small = false;
    return result;  // P(X < k) = 0
  }
  const bool upper = static_cast<quad>(k) > static_cast<quad>(n) * meant(per_word);
  result = tail_detail::by_one(k, n, per_word, upper);
  // Next to the mean it may be the larger one: k = n, p = 1 - 1e-12.
  constexpr quad log_half = -0.6931471805599453;
  if (result.log_small > log_half) result = tail_detail::by_one(k, n, per_word, !upper);
  return result;
}

}  // namespace memprof::inline v0::detail::statistics
