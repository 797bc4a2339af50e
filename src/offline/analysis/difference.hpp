// SPDX-License-Identifier: MIT
/// \file
/// What changed from one trace to another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/function_table.hpp"
#include "analysis/usage.hpp"

namespace memprof::analysis {

/// How traces are made comparable, besides each by its own sampling rate.
///
///  - `total`: both as if they had allocated (or held) the same in all, that of the first.
///  - `duration`: amounts for each second.
enum class normalization { none, total, duration };

/// What is compared: functions (or sites, ...) by what they allocate themselves or in all, or whole
/// paths.
enum class compared { self, total, paths };

struct difference_options {
  compared what = compared::self;
  grouping by = grouping::function;
  measure value = measure::allocated;
  normalization normalize = normalization::none;
};

///  - `before`, `after`: bytes, normalised.
///  - `error`: standard error of after - before.
///  - `chance`: of a difference as large as this if the program did exactly the same in both runs
///    and only the samples differ: chance_of_difference, or chance_of_shares if totals are made
///    equal. Where runs differ by themselves, so do these.
///  - `significant`: chance < 5 % / number of rows: less than one in twenty such reports of two
///    such traces names any row wrongly (Bonferroni).
struct difference_row {
  std::string name;
  std::uint64_t samples_before = 0, samples_after = 0;
  double before = 0, after = 0, error = 0, chance = 1;
  bool significant = false;
  [[nodiscard]] double change() const noexcept { return after - before; }
};

struct difference {
  std::vector<difference_row> rows;  // largest change first, of either sign
  difference_row total;
  double scale_before = 1, scale_after = 1;  // by which bytes were multiplied
};

difference compare(usage const& before, usage const& after, difference_options const& options = {});

}  // namespace memprof::analysis
