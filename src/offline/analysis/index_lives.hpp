// SPDX-License-Identifier: MIT
/// \file
/// How large the blocks of a selection are, for how long they live, and what becomes of the young.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/group_map.hpp"
#include "analysis/index_usage.hpp"
#include "analysis/interval.hpp"
#include "analysis/statistics.hpp"
#include "analysis/survival.hpp"

namespace memprof::analysis {

/// What lies in [from, to): 0, 1, 2 and 3, 4 to 7, ... From the first bin with anything in it to
/// the last. died, survived: samples of those that were there no longer, or still, at the end.
struct power_bin {
  std::uint64_t from = 0, to = 0;
  amount all;
  std::uint64_t died = 0, survived = 0;
};
struct index_histograms {
  std::vector<power_bin> lengths;    // words, without the header
  std::vector<power_bin> lifetimes;  // microseconds; of what survives to the end of the trace
};
[[nodiscard]] index_histograms histograms_of(trace_index const& index, index_choice const& choice);

/// A block in the plot of time against lifetime.
struct scatter_point {
  lifetime_point life;
  std::uint64_t samples = 0;
};
/// All blocks chosen, or `most` of them, in the order of the file: those with the least
/// scatter_hash(i), i their number in the trace. So each has the same chance, the choice is the
/// same each time, and blocks stay when a selection becomes narrower.
[[nodiscard]] std::vector<scatter_point> scatter_of(trace_index const& index,
                                                    index_choice const& choice, std::size_t most);
/// The mixing function at the end of MurmurHash3 (32 bits): one to one.
[[nodiscard]] constexpr std::uint32_t scatter_hash(std::uint32_t x) noexcept {
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ x >> 16;
}

[[nodiscard]] std::vector<survival_point> survival_of(trace_index const& index,
                                                      index_choice const& choice);

/// Blocks of one group that were born on the minor heap, and those of them that were promoted.
///
/// share       of samples, and its interval: those of one block are one observation repeated, so
///             Wilson's interval is taken of samples times sum(n) / sum(n^2).
struct promotion_row {
  std::string name;
  amount minor, promoted;
  estimated share;
};
/// Most promoted samples first, then most samples, then by name.
[[nodiscard]] std::vector<promotion_row> promotion_of(index_usage const& u, grouping by);

}  // namespace memprof::analysis
