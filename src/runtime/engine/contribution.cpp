// SPDX-License-Identifier: MIT
#include "engine/contribution.hpp"

namespace memprof::engine {

contribution contribution_of(std::int64_t counted_words,
                             sampling::geometric_distribution const& law) noexcept {
  const double size = static_cast<double>(counted_words) * 8.0;
  if (law.per_word() >= 1.0) return {.weight = size};
  const double sampled = law.probability_of_any(counted_words);
  const double weight = size / sampled;
  return {
      .weight = weight, .variance = weight * weight * (1.0 - sampled), .per_word = law.per_word()};
}

contribution contribution_of(std::int64_t counted_words, double per_word) noexcept {
  return contribution_of(counted_words, sampling::geometric_distribution(per_word));
}

}  // namespace memprof::engine
