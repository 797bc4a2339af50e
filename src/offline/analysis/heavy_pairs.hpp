// SPDX-License-Identifier: MIT
/// \file
/// How often a function allocated under a caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/flat_index.hpp"

namespace memprof::analysis {

/// Counts of pairs (function, caller) after Misra and Gries: a new pair that finds the table full
/// is a miss, which takes one from the count of every pair; a pair with nothing left is removed.
/// The count reported is how often a pair came since it was last added.
class heavy_pairs {
 public:
  static constexpr std::size_t most_pairs = 10000;

  /// \param times more than 1 only as long as there was room for every pair.
  void add(std::uint32_t function, std::uint32_t caller, std::uint64_t times = 1) {
    std::uint32_t& index = index_of(function, caller);
    if (index == flat_index::none) {
      index = static_cast<std::uint32_t>(pairs_.size());
      pairs_.push_back({function, caller, 0, 0});
    }
    pair& p = pairs_[index];
    if (p.came > 0) {
      p.came += times;
    } else if (inside_.size() < most_pairs) {
      p.came = times;
      p.misses_before = misses_;
      inside_.push_back(index);
    } else {
      miss();
    }
  }

  /// The pairs of each function.
  struct count {
    std::uint32_t caller;
    std::uint64_t blocks;
  };
  [[nodiscard]] std::vector<std::vector<count>> by_function(std::size_t functions) const {
    std::vector<std::vector<count>> result(functions);
    for (const std::uint32_t i : inside_) {
      result[pairs_[i].function].push_back({pairs_[i].caller, pairs_[i].came});
    }
    return result;
  }

 private:
  struct pair {
    std::uint32_t function, caller;
    std::uint64_t came, misses_before;
  };

  /// Most programs have few enough functions for a table without hashing.
  std::uint32_t& index_of(std::uint32_t function, std::uint32_t caller) {
    constexpr std::uint32_t few = 4096;
    if (function >= few || caller >= few) return index_.find(function, caller);
    if (function >= rows_.size()) rows_.resize(function + 1);
    auto& row = rows_[function];
    if (caller >= row.size()) row.resize(std::max<std::size_t>(64, caller * 2), flat_index::none);
    return row[caller];
  }

  void miss() {
    ++misses_;
    std::erase_if(inside_, [&](std::uint32_t i) {
      const bool out = pairs_[i].came + pairs_[i].misses_before <= misses_;
      if (out) pairs_[i].came = 0;
      return out;
    });
  }

  std::vector<std::vector<std::uint32_t>> rows_;
  flat_index index_;
  std::vector<pair> pairs_;
  std::vector<std::uint32_t> inside_;
  std::uint64_t misses_ = 0;
};

}  // namespace memprof::analysis
