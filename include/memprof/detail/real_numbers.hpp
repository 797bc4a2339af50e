// SPDX-License-Identifier: MIT
/// \file
/// Logarithm and exponential in constant expressions, in double and in 113 bits.
///
/// The functions of `cmath` are constexpr in g++ alone, so the bounds have their own. All here are
/// pure arithmetic: same value at compile time and at run time, no errno, no allocation, no throw.
#pragma once

#include <array>
#include <bit>
#include <cfloat>
#include <cstdint>

namespace memprof::inline v0::detail::statistics {

/// Binary128: 113 bits and exponents to 1e4932. With it n log n is right to 1e-14 absolute for any
/// n of 63 bits, which no sum of doubles in a plain formula would give. In software, so some 40 ns
/// for each operation: for the few that need it.
#if LDBL_MANT_DIG >= 113
using quad = long double;
#elif defined(__SIZEOF_FLOAT128__)
__extension__ using quad = __float128;
#else
#error "memprof/bounds.hpp needs a floating-point type of 113 bits"
#endif

/// What a rate or a risk x in (0, 1) means: 1/integer where x is the double next to that, else x.
///
/// 1e-4 is no double. The engine takes S = 1/p for an integer where it is one, and so do the
/// bounds, up to 2^16. In the tails the difference is a relative |k - np| 2^-53, which matters to
/// ties alone: is 0.01^25 < 1e-50? With this rule, and this place to end it, they fall as in the
/// reference table.
constexpr quad meant(double x) noexcept {
  if (x > 0x1p-16 && x < 1.0) {
    const auto whole = static_cast<double>(static_cast<std::int64_t>(1.0 / x + 0.5));
    if (1.0 / whole == x) return 1 / static_cast<quad>(whole);
  }
  return static_cast<quad>(x);
}

/// x 2^e, exact unless the result is subnormal. e in [-2000, 2000].
constexpr double scale(double x, int e) noexcept {
  const auto power = [](int n) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + n) << 52);
  };
  for (; e > 1000; e -= 1000) x *= power(1000);
  for (; e < -1000; e += 1000) x *= power(-1000);
  return x * power(e);
}

/// The exponent e and x = m 2^e with m in [sqrt(1/2), sqrt(2)), for normal x > 0.
struct parts {
  double mantissa;
  int exponent;
};
constexpr parts split(double x) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m =
      std::bit_cast<double>((bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1023} << 52));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  return {m, exponent};
}

/// sum over i >= 1 of y^i / (2i + 1) for 0 <= y <= 1/9 (a relative 1e-17): atanh(z) / z - 1 where
/// y = z^2.
constexpr double atanh_rest(double y) noexcept {
  double sum = 0.0;
  for (int i = y < 0.03 ? 12 : 19; i >= 1; --i) sum = sum * y + 1.0 / (2 * i + 1);
  return sum * y;
}

inline constexpr double ln2_high = 0x1.62e42fefa38p-1;  // its last bits are 0: times 2^11 is exact
inline constexpr double ln2_low = 0x1.ef35793c7673p-45;

/// log x, for x > 0 normal and finite. Within 2 units in the last place.
constexpr double log(double x) noexcept {
  const auto [m, e] = split(x);
  const double z = (m - 1.0) / (m + 1.0);
  const double small = 2.0 * z + 2.0 * z * atanh_rest(z * z);
  return e * ln2_high + (small + e * ln2_low);
}

/// log(1 + x) - x, for x > -1: relative 1e-15 all the way to 0, where it is -x^2/2.
constexpr double log1p_minus(double x) noexcept {
  if (x < -0.5 || x > 1.0) return log(1.0 + x) - x;
  // With z = x/(2+x): log(1+x) = 2 atanh z, and 2z - x = -x z.
  const double z = x / (2.0 + x);
  return z * (2.0 * atanh_rest(z * z) - x);
}

/// exp x. 0 below -745, infinity from 710 on. Within 2 units in the last place.
constexpr double exp(double x) noexcept {
  if (x < -746.0) return 0.0;
  if (x > 709.79) return scale(1.0, 1000) * scale(1.0, 1000);
  const int e = static_cast<int>(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
  const double r = (x - e * ln2_high) - e * ln2_low;
  double sum = 1.0;
  for (int i = 14; i >= 1; --i) sum = 1.0 + sum * r * (1.0 / i);
  return scale(sum, e);
}

/// sqrt x, for x > 0 normal and finite. Within 1 unit in the last place.
constexpr double sqrt(double x) noexcept {
  auto [m, e] = split(x);
  if (e % 2 != 0) {
    m *= 2.0;
    --e;
  }
  double root = 0.5 * (1.0 + m);
  for (int i = 0; i < 6; ++i) root = 0.5 * (root + m / root);
  return scale(root, e / 2);
}

namespace quad_constants {
/// 1/1, 1/3, 1/5 ... as far as atanh z needs them: z <= 0.1716, so y^24 < 1e-36.
inline constexpr std::array<quad, 25> odd_reciprocals = [] {
  std::array<quad, 25> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = quad{1} / static_cast<quad>(2 * i + 1);
  }
  return result;
}();
/// ln 2 = 2 atanh(1/3).
inline constexpr quad ln2 = [] {
  quad sum = 0;
  for (int i = 40; i >= 0; --i) sum = sum / 9 + quad{1} / static_cast<quad>(2 * i + 1);
  return sum * 2 / 3;
}();
}  // namespace quad_constants

/// log x to an absolute 1e-33 or a relative 1e-32, for x > 0 within 2^-4000 to 2^4000.
constexpr quad log(quad x) noexcept {
  int exponent = 0;
  for (; x >= 0x1p900; exponent += 900) x *= 0x1p-900;
  for (; x < 0x1p-900; exponent -= 900) x *= 0x1p900;
  const int e = split(static_cast<double>(x)).exponent;
  const quad scaled = x * static_cast<quad>(scale(1.0, -e));  // exact
  exponent += e;
  const quad z = (scaled - 1) / (scaled + 1);
  const quad y = z * z;
  // No more terms than 113 bits need: |z| is 0 where x is next to a power of 2.
  const double size = static_cast<double>(y);
  std::size_t terms = size < 1e-6 ? (size < 1e-12 ? 3 : 6) : 24;
  quad sum = quad_constants::odd_reciprocals[terms];
  while (terms-- > 0) sum = sum * y + quad_constants::odd_reciprocals[terms];
  return static_cast<quad>(exponent) * quad_constants::ln2 + 2 * z * sum;
}

/// exp x as a double: relative 5e-16 over the whole range, since x is reduced in 113 bits.
constexpr double exp(quad x) noexcept {
  if (x < -746 || x > 709) return exp(static_cast<double>(x));
  const int e = static_cast<int>(static_cast<double>(x) * 1.4426950408889634);
  return scale(exp(static_cast<double>(x - static_cast<quad>(e) * quad_constants::ln2)), e);
}

}  // namespace memprof::inline v0::detail::statistics
