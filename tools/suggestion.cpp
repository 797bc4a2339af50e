// SPDX-License-Identifier: MIT
#include "tools/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <vector>

namespace memprof::tools {
namespace {

/// Insertions, deletions, replacements and exchanges of neighbours from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        d[i][k] = i + k;
        continue;
      }
      d[i][k] = std::min(
          {d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        d[i][k] = std::min(d[i][k], d[i - 2][k - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, std::span<std::string const> known) {
  std::string_view nearest;
  std::size_t least = 3;  // more is another word
  word = word.substr(0, 40);
  for (std::string const& k : known) {
    const std::size_t longer = std::max(k.size(), word.size()) - std::min(k.size(), word.size());
    if (longer >= least) continue;  // the distance is no less
    const std::size_t d = distance(word, k);
    if (d < least && d + 1 < k.size()) {
      least = d;
      nearest = k;
    }
  }
  return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
}

}  // namespace memprof::tools
