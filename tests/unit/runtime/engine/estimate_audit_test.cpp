// SPDX-License-Identifier: MIT
#include "engine/estimate_audit.hpp"

#include <cmath>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

/// P(n samples | at least one) of Binomial(w, p), from n = 1 on, as far as it matters.
std::vector<double> given_one(double w, double p) {
  const double q = -std::expm1(w * std::log1p(-p));
  std::vector<double> law;
  const double last = std::min(w, w * p + 40 * std::sqrt(w * p) + 60);
  for (double n = 1; n <= last; ++n) {
    const double log_choices = std::lgamma(w + 1) - std::lgamma(n + 1) - std::lgamma(w - n + 1);
    law.push_back(std::exp(log_choices + n * std::log(p) + (w - n) * std::log1p(-p)) / q);
  }
  return law;
}

}  // namespace

// What (33c) rests on: log E exp(theta (n - E n)) <= v theta^2 / (2 (1 - theta)), on both sides.
TEST_CASE("estimate audit: samples of a sampled block keep Bernstein's condition") {
  double nearest = 0;
  for (const double w : {1.0, 2.0, 3.0, 9.0, 100.0, 3000.0}) {
    for (const double mean_samples : {1e-4, 1e-2, 0.1, 0.5, 1.0, 2.0, 5.0, 30.0, 100.0}) {
      const double p = mean_samples / w;
      if (p >= 1) continue;
      const std::vector<double> law = given_one(w, p);
      const double mean = w * p / -std::expm1(w * std::log1p(-p));
      const double variance = mean * (1 - p + w * p - mean);  // as the engine computes it
      if (variance < 1e-9) continue;
      for (const double theta : {-0.95, -0.7, -0.3, -0.05, 0.05, 0.3, 0.7, 0.95}) {
        double sum = 0;
        for (std::size_t i = 0; i < law.size(); ++i) {
          sum += law[i] * std::exp(theta * (static_cast<double>(i + 1) - mean));
        }
        const double bound = variance * theta * theta / (2 * (1 - std::abs(theta)));
        CAPTURE(w, mean_samples, theta);
        CHECK(std::log(sum) <= bound);
        nearest = std::max(nearest, std::log(sum) / bound);
      }
    }
  }
  CHECK(nearest > 0.9);  // and it is not far off
}

TEST_CASE("estimate audit: 45 lost of 10 000 small blocks are found") {
  const double w = 3, p = 1e-4;
  const double mean = w * p / -std::expm1(w * std::log1p(-p));
  const residual lost{.expected = 1e4 * mean,
                      .excess = -45 * mean,
                      .variance = 1e4 * mean * (1 - p + w * p - mean)};
  CHECK(lost.p_value() < 1e-9);
}
