// SPDX-License-Identifier: MIT
#include "sampling/ziggurat.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch2.hpp"
#include "support/goodness_of_fit.hpp"
#include "unit/runtime/sampling/seeded.hpp"

namespace {

using memprof::sampling::exponential;
using memprof::sampling::next;
using memprof::sampling::random_state;
using memprof::sampling::ziggurat_exponential;
using memprof::sampling::detail::exp_minus;
using memprof::sampling::detail::exponential_layers;
using memprof::sampling::detail::layers_of_exponential;
using memprof::test::binomial_test_p;
using memprof::test::false_alarm;
using memprof::test::seeded;
using memprof::test::uniform_fit_p;
using memprof::test::z_test_p;

constexpr exponential_layers const& table = layers_of_exponential;
constexpr std::size_t n = exponential_layers::count;

/// n P(a turn gives a number > t), by the table as it is and the exact density: the length of each
/// layer beyond t, where the number is taken at once, and the area under the density in the rest.
long double turns_beyond(long double t) {
  long double const r = table.edge[1];
  long double sum = (std::max(r - t, 0.0L) + std::exp(-std::max(t - r, 0.0L))) / (r + 1);
  for (std::size_t i = 1; i < n; ++i) {
    long double const outer = table.edge[i];
    if (t >= outer) continue;
    long double const inner = table.edge[i + 1];
    long double const height = static_cast<long double>(table.density[i + 1]) - table.density[i];
    long double const from = std::max(t, inner);
    sum += std::max(inner - t, 0.0L) / outer;
    sum +=
        (std::exp(-from) - std::exp(-outer) - table.density[i] * (outer - from)) / (outer * height);
  }
  return sum;
}

}  // namespace

TEST_CASE("the ziggurat's layers give the exponential law to 1e-13", "[sampling]") {
  long double const all = turns_beyond(0);
  CHECK(static_cast<double>(all) / n == Approx(0.97).margin(0.02));
  for (double t = 0x1p-20; t < 100; t = t < 0.01 ? 2 * t : t + 0.0137) {
    INFO("P(E > " << t << ")");
    auto const ratio =
        static_cast<double>(turns_beyond(t) / all / std::exp(-static_cast<long double>(t)));
    REQUIRE(std::abs(ratio - 1) < 1e-13);
  }
}

TEST_CASE("the ziggurat's table falls, and its exponentials are exact", "[sampling]") {
  for (std::size_t i = 0; i < n; ++i) {
    REQUIRE(table.edge[i] > table.edge[i + 1]);
    REQUIRE(table.density[i] < table.density[i + 1]);
  }
  for (long double x = 0; x < 8; x += 0.037L) {
    REQUIRE(std::abs(static_cast<double>(exp_minus(x) / std::exp(-x) - 1)) < 1e-17);
  }
}

TEST_CASE("numbers of the ziggurat have the exponential law", "[sampling]") {
  // Shape, mean, variance, and the counts beyond the edges of the layers at both ends and in the
  // tail. 10 checks, each fails once in 1e11 seeds (the squares, which are skewed, twice).
  auto random = seeded(5);
  constexpr std::uint64_t draws = 4'000'000;
  std::vector<double> survival;
  double sum = 0;
  double squares = 0;
  double const bounds[] = {
      0.01, table.edge[n - 1], table.edge[n / 2], table.edge[2], table.edge[1], table.edge[0], 9.5};
  std::uint64_t beyond[std::size(bounds)] = {};
  for (std::uint64_t i = 0; i < draws; ++i) {
    double const e = ziggurat_exponential(random);
    if (!(e > 0)) FAIL(e);
    if (i < 300'000) survival.push_back(std::exp(-e));
    sum += e;
    squares += (e - 1) * (e - 1);
    for (std::size_t j = 0; j < std::size(bounds); ++j) beyond[j] += e > bounds[j] ? 1 : 0;
  }
  CHECK(uniform_fit_p(survival) > false_alarm);
  CHECK(z_test_p(sum / draws, 1, 1 / std::sqrt(draws)) > false_alarm);
  CHECK(z_test_p(squares / draws, 1, std::sqrt(8. / draws)) > false_alarm);
  for (std::size_t j = 0; j < std::size(bounds); ++j) {
    INFO("beyond " << bounds[j] << ": " << beyond[j]);
    CHECK(binomial_test_p(beyond[j], draws, std::exp(-bounds[j])) > false_alarm);
  }
}

TEST_CASE("the ziggurat's tail is as deep as that of uniform", "[sampling]") {
  // Exact: beyond r it is `exponential`, from the next words.
  auto random = seeded(6);
  int tails = 0;
  for (int i = 0; i < 1'000'000 && tails < 50; ++i) {
    auto words = random;
    std::uint64_t const first = next(words);
    double const e = ziggurat_exponential(random);
    if (first % n != 0 || e < table.edge[1]) continue;
    ++tails;
    REQUIRE(e == table.edge[1] + exponential(words));
  }
  CHECK(tails == 50);
}

TEST_CASE("the ziggurat of an unseeded state ends", "[sampling]") {
  random_state unseeded{};
  CHECK(ziggurat_exponential(unseeded) > 708);
}
