// SPDX-License-Identifier: MIT
/// \file
/// What stacks allocated, summed by allocation site or by function.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/usage.hpp"

namespace memprof::analysis {

/// What one site comes to: the innermost location ("site": function, file, line and columns;
/// "function": its name alone).
///
///  - `by_size_class`: samples of blocks of up to 4, 16, 256, 10000 words and of larger ones.
struct site_row {
  std::string function;
  std::string position;  ///< as position_text; empty by function
  std::uint64_t sampled = 0, promoted = 0, died = 0;
  std::uint64_t samples = 0, live_samples = 0, peak_samples = 0;
  double blocks = 0;
  double died_lifetime = 0;
  std::array<std::uint64_t, 5> by_size_class{};
};
inline constexpr std::array<std::uint64_t, 4> size_class_limits{4, 16, 256, 10'000};

enum class site_kind : std::uint8_t { site, function };

/// By samples, greatest first, then by name. Of a usage by size, with lifetimes.
[[nodiscard]] std::vector<site_row> sites_of(usage const& u, site_kind kind);

}  // namespace memprof::analysis
