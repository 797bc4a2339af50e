// SPDX-License-Identifier: MIT
// Upstream's published statements, each computed: the section of that name in docs/statistical.md
// quotes these numbers. Words are exact; probabilities to the digits quoted there.
#include <cmath>
#include <cstdint>

#include "memprof/bounds.hpp"

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::literals;

namespace {

/// To two digits, as quoted.
bool is_about(double value, double quoted) { return std::abs(value / quoted - 1) < 0.01; }

double missed(bytes n) { return probability_not_interrupted(0_w, ceil_to_words(n)); }

}  // namespace

TEST_CASE("published: once over a global limit") {
  CHECK(probability_triggered(80_KiB) > 0.64);
  CHECK(std::abs(probability_triggered(80_KiB) - 0.641) < 5e-4);
  const auto mebibytes = [](double n) { return bytes{static_cast<std::int64_t>(n * 1048576)}; };
  CHECK(missed(mebibytes(1.62)) < 1e-9);
  CHECK(is_about(missed(mebibytes(1.62)), 6.0e-10));
  CHECK(missed(mebibytes(2.5)) < 1e-14);
  CHECK(is_about(missed(mebibytes(2.5)), 5.9e-15));
  CHECK(missed(mebibytes(8.8)) < 1e-50);
  CHECK(is_about(missed(mebibytes(8.8)), 8.0e-51));
  CHECK(is_about(missed(words{328'000}), 5.7e-15));
  CHECK(is_about(missed(2699_KiB), 9.9e-16));
}

TEST_CASE("published: a limit is reasonably accurate from 20 kw on") {
  // Within a factor of 10 from 22 samples on, at 4e-15; 20 kw fall into that.
  CHECK(safe_allocation(220_kw, 4e-15) == words{22'089});
  CHECK(220'000 / 22'089.0 < 10);
  CHECK(safe_allocation(200_kw, 4e-15) == words{17'182});
  CHECK(200'000 / 17'182.0 > 10);
  // 60 kw and less mean nothing.
  CHECK(safe_allocation(60_kw, 4e-15) == words{121});
  CHECK(safe_allocation(60_kw, 1e-50) == words{5});
}

TEST_CASE("published: 20 kw safe need a limit of 150 to 500 kw") {
  CHECK(limit_for_safe(20_kw, 1e-9) == words{150'001});
  CHECK(limit_for_safe(20_kw, 4e-15) == words{210'001});
  CHECK(limit_for_safe(20_kw, 1e-50) == words{490'001});
}

TEST_CASE("published: 300 Mw under a limit of 330 Mw") {
  CHECK(probability_interrupted(330_Mw, 300_Mw) < 1e-50);
  CHECK(is_about(probability_interrupted(330_Mw, 300_Mw), 2.0e-65));
}

TEST_CASE("published: 100 Mw are accurate to 10 %") {
  const words n = safe_allocation(100_Mw, 4e-15);
  CHECK(n == words{92'429'417});
  CHECK(1e8 / static_cast<double>(n.count()) - 1 == Approx(0.0819).epsilon(1e-3));
}

TEST_CASE("published: minimal rates for a limit within 10 times the safe amount") {
  CHECK(minimal_rate(1_kw, 10, 1e-9) == Approx(1.4e-3));
  CHECK(minimal_rate(1_kw, 10, 1e-14) == Approx(2.2e-3));
  CHECK(minimal_rate(1_kw, 10, 1e-50) == Approx(7.9e-3));  // published: 8e-3
  CHECK(minimal_rate(20_kw, 10, 1e-9) == Approx(7e-5));
  CHECK(minimal_rate(20_kw, 10, 1e-14) == Approx(1.1e-4));
  CHECK(minimal_rate(20_kw, 10, 1e-50) == Approx(4e-4));
  CHECK(minimal_rate(1_Mw, 10, 1e-9) == Approx(1.4e-6));
  CHECK(minimal_rate(1_Mw, 10, 1e-14) == Approx(2.2e-6));
  CHECK(minimal_rate(1_Mw, 10, 1e-50) == Approx(8e-6));
}

TEST_CASE("published and not true: wrong ends of the allocation test under 1e-14") {
  struct instance {
    words safe, limit, stop;
    double early, late;
  };
  const instance published[] = {
      {words{122'290'000}, words{133'750'000}, words{139'410'000}, 9.4e-25, 6.8e-7},
      {words{5'462'500}, words{7'500'000}, words{9'625'000}, 9.1e-17, 4.7e-13},
      {words{4'627}, words{125'000}, words{596'250}, 4.6e-15, 6.7e-14},
  };
  for (auto const& i : published) {
    CHECK(is_about(probability_interrupted(i.limit, i.safe), i.early));
    CHECK(is_about(probability_not_interrupted(i.limit, i.stop), i.late));
    CHECK(probability_not_interrupted(i.limit, i.stop) > 1e-14);
  }
  // What keeps the promise.
  const std::int64_t kept[][3] = {{125'093'272, 133'750'000, 142'790'236},
                                  {5'592'479, 7'500'000, 9'790'698},
                                  {4'922, 125'000, 619'792}};
  for (auto const& [safe, limit, stop] : kept) {
    CHECK(safe_allocation(words{limit}, 1e-14) == words{safe});
    CHECK(certain_interruption(words{limit}, 1e-14) == words{stop});
  }
}

TEST_CASE("published and not true: 17 200 words are safe at 4e-15 under 200 kw") {
  CHECK(probability_interrupted(200_kw, words{17'200}) > 4e-15);
  CHECK(is_about(probability_interrupted(200_kw, words{17'200}), 4.1e-15));
  CHECK(safe_allocation(200_kw, 4e-15) == words{17'182});
}

// Its table of safe amounts, rounded by hand: limit in kw, safe words at 1e-9, 4e-15, 1e-50.
TEST_CASE("published: the table of safe amounts is on the safe side, but for that entry") {
  constexpr std::int64_t table[][4] = {
      {50, 415, 36, 0},
      {100, 6'020, 1'670, 0},
      {200, 34'600, 17'182, 272},
      {300, 0, 0, 2'630},
      {500, 184'500, 129'000, 20'290},
      {1'000, 511'000, 408'000, 137'600},
      {2'000, 1'264'000, 1'080'000, 555'000},
      {5'000, 3'773'000, 3'450'000, 2'357'000},
      {10'000, 8'218'000, 7'700'000, 5'987'000},
      {20'000, 17'430'000, 16'720'000, 14'040'000},
      {50'000, 45'865'000, 44'700'000, 40'165'000},
      {100'000, 94'118'000, 92'400'000, 85'796'000},
      {200'000, 191'634'000, 189'200'000, 179'610'000},
      {500'000, 486'700'000, 482'800'000, 467'340'000},
      {1'000'000, 981'150'000, 975'000'000, 953'500'000},
      {2'000'000, 1'973'290'000, 1'965'000'000, 1'933'950'000},
      {5'000'000, 4'957'600'000, 4'945'000'000, 4'895'100'000},
      {10'000'000, 9'940'000'000, 9'922'500'000, 9'851'300'000},
  };
  const double risks[] = {1e-9, 4e-15, 1e-50};
  for (auto const& row : table) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (row[i + 1] == 0) continue;
      CAPTURE(row[0], risks[i]);
      const words safe = safe_allocation(words{row[0] * 1'000}, risks[i]);
      CHECK(row[i + 1] <= safe.count());
      CHECK(static_cast<double>(row[i + 1]) > 0.98 * static_cast<double>(safe.count()));
    }
  }
}
