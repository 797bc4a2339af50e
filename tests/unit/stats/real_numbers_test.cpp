// SPDX-License-Identifier: MIT
#include "memprof/detail/real_numbers.hpp"

#include <cmath>
#include <random>

#include "support/catch2.hpp"

namespace s = memprof::detail::statistics;

static_assert(s::log(1.0) == 0.0 && s::exp(0.0) == 1.0 && s::sqrt(9.0) == 3.0);
static_assert(s::log1p_minus(0.0) == 0.0);
static_assert(s::meant(1e-4) * 10'000 == 1 && s::meant(0.3) == static_cast<s::quad>(0.3));
static_assert(s::scale(1.0, -1074) == 0x1p-1074 && s::scale(1.0, 1023) == 0x1p1023);

namespace {

double ulps(double got, long double wanted) {
  const auto near = static_cast<double>(wanted);
  const double unit = std::nextafter(std::abs(near), HUGE_VAL) - std::abs(near);
  return static_cast<double>(std::abs(static_cast<long double>(got) - wanted) / unit);
}

}  // namespace

TEST_CASE("real numbers: log, exp and sqrt are within 2 units of <cmath>") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-1000, 1000);
  std::uniform_real_distribution<double> near(0.5, 2);
  double worst_log = 0, worst_exp = 0, worst_sqrt = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = i % 2 == 0 ? near(random) : std::exp2(exponent(random));
    worst_log = std::max(worst_log, ulps(s::log(x), std::log(static_cast<long double>(x))));
    worst_sqrt = std::max(worst_sqrt, ulps(s::sqrt(x), std::sqrt(static_cast<long double>(x))));
    const double y = i % 2 == 0 ? near(random) - 1 : exponent(random) * 0.7;
    worst_exp = std::max(worst_exp, ulps(s::exp(y), std::exp(static_cast<long double>(y))));
  }
  CHECK(worst_log < 2);
  CHECK(worst_exp < 2);
  CHECK(worst_sqrt < 1.01);
  CHECK(s::exp(-1000.0) == 0.0);
  CHECK(std::isinf(s::exp(1000.0)));
}

TEST_CASE("real numbers: log(1+x) - x keeps its digits at 0") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-300, 6);
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double magnitude = std::exp2(exponent(random));
    const double x = i % 2 == 0 || magnitude >= 1 ? magnitude : -magnitude;
    // By the series where long double cancels, too.
    long double wanted = std::log1p(static_cast<long double>(x)) - x;
    if (std::abs(x) < 1e-3) {
      wanted = 0;
      for (int n = 12; n >= 2; --n) {
        wanted = wanted * -x - 1.0L / n;
      }
      wanted *= static_cast<long double>(x) * x;
    }
    worst = std::max(worst, static_cast<double>(std::abs(s::log1p_minus(x) / wanted - 1)));
  }
  CHECK(worst < 2e-15);
}

TEST_CASE("real numbers: logarithms in 113 bits obey their law to 1e-32") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-900, 900);
  double worst_product = 0, worst_double = 0;
  for (int i = 0; i < 2'000; ++i) {
    const s::quad x = static_cast<s::quad>(std::exp2(exponent(random) / 2)) / 3;
    const s::quad y = static_cast<s::quad>(std::exp2(exponent(random) / 2)) / 7;
    const s::quad apart = s::log(x * y) - s::log(x) - s::log(y);
    worst_product = std::max(worst_product, std::abs(static_cast<double>(apart)));
    const auto single = static_cast<double>(x);
    const s::quad with_double = s::log(static_cast<s::quad>(single));
    worst_double =
        std::max(worst_double, ulps(std::log(single), static_cast<long double>(with_double)));
  }
  CHECK(worst_product < 1e-30);
  CHECK(worst_double < 1);
  // ln 10 to 34 digits, and next to 1, where the series is cut short.
  const s::quad ten = s::log(static_cast<s::quad>(10));
  CHECK(static_cast<double>(ten) == 0x1.26bb1bbb55516p+1);
  CHECK(static_cast<double>(ten - static_cast<s::quad>(0x1.26bb1bbb55516p+1)) ==
        Approx(-2.1707562233822494e-16).epsilon(1e-12));
  const s::quad tiny = static_cast<s::quad>(0x1p-40);
  CHECK(static_cast<double>((s::log(1 + tiny) - tiny) / (tiny * tiny)) ==
        Approx(-0.5).epsilon(1e-11));
  CHECK(ulps(s::exp(static_cast<s::quad>(-690)), std::exp(-690.0L)) < 4);
}
