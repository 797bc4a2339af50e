// SPDX-License-Identifier: MIT
/// \file
/// Tails and quantiles of the gamma law, for confidence intervals; relative 1e-13 for shapes from 1
/// to 1e15. (P(Poisson(x) >= a) is the lower tail of shape a at x.)
///
/// \see docs/statistical.md (24). Series and continued fraction below shape 30 (DLMF 8.11.4,
///   8.9.2), above it the same integral as for the binomial law.
#pragma once

#include "memprof/detail/binomial_tail.hpp"
#include "memprof/detail/real_numbers.hpp"

namespace memprof::inline v0::detail::statistics {

/// log(x^a e^-x / Gamma(a+1)), a >= 1, x > 0: the Poisson mass at a of mean x, a not necessarily
/// whole. By its distance from the mode, so that nothing large cancels.
constexpr double log_poisson_mass(double a, double x) noexcept {
  // Gamma(a+1) by Stirling's series at 16 or more; below, by way of Gamma(a+m+1).
  double shifted = a;
  double product = 1.0;
  while (shifted < 16.0) {
    shifted += 1.0;
    product *= shifted;
  }
  const double r = 1.0 / shifted;
  const double y = r * r;
  const double rest =
      r * (1. / 12 - y * (1. / 360 - y * (1. / 1260 - y * (1. / 1680 - y * (1. / 1188)))));
  constexpr double log_two_pi = 1.8378770664093455;
  const double at_mode = -0.5 * (log_two_pi + log(shifted)) - rest;  // at x = shifted
  if (product == 1.0) return at_mode + a * log1p_minus((x - a) / a);
  const double log_gamma = shifted * log(shifted) - shifted - at_mode - log(product);
  return a * log(x) - x - log_gamma;
}

/// One tail of the gamma law of shape a at x, and the density there over that tail.
struct gamma_tail {
  double log_tail;
  double hazard;
};

/// P(X <= x) if `lower`, else P(X > x); a >= 1, x > 0.
constexpr gamma_tail tail_of_gamma(double a, double x, bool lower) noexcept {
  const double log_mass = log_poisson_mass(a, x);
  double ratio = 0.0;  // the tail over x^a e^-x / Gamma(a+1)
  const bool direct_lower = x < a + 1;
  if (a >= 30.0) {
    constexpr double reach = 64.0;  // the upper integral goes on beyond 1, where nothing is left
    ratio = direct_lower ? a * tail_integral(a - 1, 0.0, 1.0, a - 1 - x)
                         : a * reach * tail_integral(0.0, a - 1, reach, (x - a + 1) * reach);
  } else if (direct_lower) {
    double term = 1.0;
    for (int n = 1; n < 500 && term > 1e-17 * ratio; ++n) {
      ratio += term;
      term *= x / (a + n);
    }
  } else {
    // Lentz; all denominators are positive for x > a + 1.
    double b = x + 1 - a;
    double c = 1e300;
    double d = 1 / b;
    double h = d;
    for (int i = 1; i < 500; ++i) {
      const double numerator = -i * (i - a);
      b += 2;
      d = 1 / (numerator * d + b);
      c = b + numerator / c;
      const double factor = c * d;
      h *= factor;
      if (factor - 1 < 1e-16 && 1 - factor < 1e-16) break;
    }
    ratio = a * h;
  }
  double log_tail = log_mass + log(ratio);
  if (direct_lower != lower) log_tail = log(1.0 - exp(log_tail));
  return {log_tail, exp(log_mass - log_tail) * a / x};
}

/// z with P(N(0,1) > z) = t, to an absolute 5e-4: a beginning (Abramowitz and Stegun 26.2.23).
constexpr double rough_normal_quantile(double t) noexcept {
  if (t > 0.5) return -rough_normal_quantile(1.0 - t);
  const double s = sqrt(-2.0 * log(t));
  return s - (2.515517 + s * (0.802853 + s * 0.010328)) /
                 (1.0 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
}

/// x with P(X <= x) = t (`lower`), or P(X > x) = t, for X of the gamma law of shape a >= 1.
/// t in [1e-300, 1/2].
constexpr double gamma_quantile(double a, double t, bool lower) noexcept {
  const double log_t = log(t);
  // Wilson and Hilferty's cube; where that is no good, the first term of the series at 0.
  const double z = (lower ? -1.0 : 1.0) * rough_normal_quantile(t);
  const double root = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * sqrt(a));
  double x = root > 0.2 ? a * root * root * root
                        : exp((log_t - log_poisson_mass(a, 1.0) - 1.0) / a);  // x^a / Gamma(a+1)
  for (int i = 0; i < 60; ++i) {
    const gamma_tail seen = tail_of_gamma(a, x, lower);
    // Newton on the logarithm of the tail, in log x for the lower one: nearly straight lines.
    const double step = (log_t - seen.log_tail) / seen.hazard;
    const double next = lower ? x * exp(step / x > 2    ? 2.0
                                        : step / x < -2 ? -2.0
                                                        : step / x)
                              : (x - step > 0.25 * x ? x - step : 0.25 * x);
    const double change = next > x ? next - x : x - next;
    x = next;
    if (change < 1e-14 * x) break;
  }
  return x;
}

}  // namespace memprof::inline v0::detail::statistics
