// SPDX-License-Identifier: MIT
/// \file
/// The usage of a selection, from a trace_index.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "analysis/index_choice.hpp"
#include "analysis/usage.hpp"

namespace memprof::analysis {

/// The same numbers as `usage` has of the same trace and selection.
struct index_usage {
  std::shared_ptr<trace_index const> index;
  index_choice choice;
  std::vector<amounts> own;  // of each node of index->stacks()
  amounts total;
  std::chrono::microseconds peak_time{0};

  [[nodiscard]] usage_view view() const {
    return {index->facts().info,    choice.codes, index->stacks(), own, total,
            index->facts().duration};
  }
};

/// cost        some 30 ns for each block, 100 bytes for each node of the tree of stacks.
/// throws      as `choose`.
[[nodiscard]] index_usage usage_of(std::shared_ptr<trace_index const> index, selection const& s,
                                   bool hide_allocation_functions = false, bool inlines = true);

}  // namespace memprof::analysis
