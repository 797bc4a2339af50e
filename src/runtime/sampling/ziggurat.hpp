// SPDX-License-Identifier: MIT
/// \file
/// An exponential number without a logarithm, and the table by which it is drawn: horizontal layers
/// that cover the density exp(-x).
///
/// All layers have the same area, so a number that is uniform in a layer taken at random is uniform
/// under the staircase; what is not under the density, too, is drawn again.
///
///       1 |#
///         |##|.             layer i:  0 <= x < edge[i],  density[i] <= y < density[i + 1]
///         |####|.             #  x < edge[i + 1]: under the density for every y
///         |#######|..         .  the density decides
///         |###########|....
///         |################|......... tail      layer 0: x < r, or the tail beyond it
///         +----------------r---------
///
/// \see G. Marsaglia and W. W. Tsang 2000, "The ziggurat method for generating random variables",
///   J. Statist. Softw. 5(8). The layer and the place in it are of different bits, as J. A. Doornik
///   2005 recommends.
#pragma once

#include <cstddef>

#include "sampling/random.hpp"

namespace memprof::sampling {

/// As `exponential`: P(E > x) = exp(-x), with its tail, but from other random words.
///
/// \note Accuracy: P(E > x) to a relative 1e-13, P(E <= x) to an absolute 2^-53. Above 0, at most
///   716.
/// \note Cost: 3 ns: a call of `next` and a look at a table of 2 KiB. One number in 25 needs more:
///   an exponential, one in 1000 a logarithm.
[[nodiscard]] double ziggurat_exponential(random_state& random) noexcept;

namespace detail {

struct exponential_layers {
  static constexpr std::size_t count = 128;
  /// edge[1] = r, where the tail begins. Layer 0 is as large as a rectangle of width r + 1: the
  /// tail has the area exp(-r).
  double edge[count + 1];
  double density[count + 1];  ///< exp(-edge), but for density[0], which is 0
};

/// exp(-x) for x in [0, 8]: a power series at x / 16, squared four times.
constexpr long double exp_minus(long double x) noexcept {
  long double const z = -x / 16;
  long double sum = 1;
  for (int k = 24; k > 0; --k) sum = 1 + z / k * sum;
  for (int i = 0; i < 4; ++i) sum *= sum;
  return sum;
}

/// With r such that the topmost layer ends at a density of 1.
constexpr exponential_layers make_exponential_layers() noexcept {
  constexpr std::size_t n = exponential_layers::count;
  constexpr long double r = 6.898315116615642605755L;
  constexpr long double area = (r + 1) * exp_minus(r);
  exponential_layers t{};
  t.edge[0] = static_cast<double>(r + 1);
  long double x = r;
  for (std::size_t i = 1; i < n; ++i) {
    t.edge[i] = static_cast<double>(x);
    t.density[i] = static_cast<double>(exp_minus(x));
    long double const above = exp_minus(x) + area / x;
    if (i + 1 == n) break;
    for (int step = 0; step < 8; ++step) x += 1 - above / exp_minus(x);  // Newton: exp(-x) = above
  }
  t.edge[n] = 0;
  t.density[n] = 1;
  return t;
}

inline constexpr exponential_layers layers_of_exponential = make_exponential_layers();

}  // namespace detail
}  // namespace memprof::sampling
