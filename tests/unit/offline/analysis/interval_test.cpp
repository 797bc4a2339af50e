// SPDX-License-Identifier: MIT
#include "analysis/interval.hpp"

#include <cmath>
#include <cstdint>

#include "support/catch2.hpp"

using namespace memprof::analysis;
namespace trace = memprof::trace;

TEST_CASE("intervals: exact where there are few samples, and none at rate 1") {
  trace::info info;
  info.sample_rate = 1e-4;
  const auto e = estimated_bytes(info, 400);
  CHECK(e.value == Approx(400 / 1e-4 * 8));
  CHECK(e.relative_error() == Approx(1.96 / 20).epsilon(0.1));
  const auto many = estimated_bytes(info, 99'999), more = estimated_bytes(info, 100'001);
  CHECK(many.lower == Approx(more.lower).epsilon(1e-4));
  CHECK(many.upper == Approx(more.upper).epsilon(1e-4));
  CHECK(estimated_bytes(info, 0).lower == 0);
  info.sample_rate = 1;
  CHECK(estimated_bytes(info, 7).upper == 56);
  CHECK(estimated_bytes(info, 7).lower == 56);
  info.sample_rate = 1e-4;
  CHECK(std::isfinite(estimated_bytes(info, ~std::uint64_t{0}).upper));
}
