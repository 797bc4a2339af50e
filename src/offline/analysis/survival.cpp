// SPDX-License-Identifier: MIT
#include "analysis/survival.hpp"

#include <algorithm>

#include "analysis/effective_share.hpp"

namespace memprof::analysis {
void survival_builder::died(std::uint64_t age, std::uint64_t samples) {
  const auto weight = static_cast<double>(samples);
  deaths_.add(age, weight);
  age_sum_ += static_cast<double>(age) * weight;
}

void survival_builder::still_lives(std::uint64_t age, std::uint64_t samples) {
  survivors_.add(age, static_cast<double>(samples));
}

double survival_builder::mean_age_at_death() const noexcept {
  return deaths_.weight() > 0 ? age_sum_ / deaths_.weight() : 0;
}

std::vector<survival_point> survival_builder::curve() const {
  std::vector<survival_point> result;
  const double total = deaths_.weight() + survivors_.weight();
  if (total <= 0) return result;
  std::vector<log_bin> const died = deaths_.bins();
  std::vector<log_bin> const alive = survivors_.bins();
  double squares = 0;
  for (auto const* bins : {&died, &alive}) {
    for (log_bin const& b : *bins) squares += b.squared_weight;
  }
  const double repeated = squares / total;

  double at_risk = total, share = 1, greenwood = 0, effective = total;
  result.push_back({0, 1, effective_share(1, total / repeated).lower, 1, total});
  auto d = died.begin();
  auto a = alive.begin();
  while (d != died.end() || a != alive.end()) {
    const std::uint64_t lower = std::min(d != died.end() ? d->lower : ~std::uint64_t{0},
                                         a != alive.end() ? a->lower : ~std::uint64_t{0});
    std::uint64_t upper = 0;
    double deaths = 0, censored = 0;
    if (d != died.end() && d->lower == lower) {
      deaths = d->weight;
      upper = d++->upper;
    }
    if (a != alive.end() && a->lower == lower) {
      censored = a->weight;
      upper = a++->upper;
    }
    // Those whose observation ends within the bin were seen for half of it (actuarial estimate).
    const double exposed = at_risk - censored / 2;
    if (deaths > 0 && exposed > 0) {
      share *= std::max(0.0, 1 - deaths / exposed);
      if (exposed > deaths) greenwood += deaths / (exposed * (exposed - deaths));
    }
    // Where all or none died, the variance says nothing: as many as were looked at.
    if (share > 0) effective = share < 1 ? (1 - share) / (share * greenwood) : exposed;
    at_risk = std::max(0.0, at_risk - deaths - censored);
    if (deaths > 0 || censored > 0) {
      const estimated e = effective_share(share, effective / repeated);
      result.push_back({upper, share, e.lower, e.upper, at_risk});
    }
  }
  return result;
}

}  // namespace memprof::analysis
