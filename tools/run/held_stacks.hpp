// SPDX-License-Identifier: MIT
/// \file
/// The stacks that hold most, and the function to name first.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "recorder/recorder.hpp"
#include "symbolize/symbolize.hpp"

namespace memprof::tools {

///  - `oldest`: the age of the oldest sampled block.
///  - `text`: "grow (leak.c:12) < fill < main": a line of bounded length, innermost call first.
struct held_stack {
  std::string text;
  analysis::estimated amount;
  double share = 0;
  std::chrono::microseconds oldest{0};
};

///  - `stacks`: those that differ in their text, largest first.
///  - `culprit`: the function that holds most by itself: the innermost of each stack that has a
///    name.
struct held_stacks {
  std::vector<held_stack> stacks;
  std::string culprit;
  double share_of_culprit = 0;
};

/// Functions that only pass memory on (analysis/wrappers.hpp) are left out.
[[nodiscard]] held_stacks find_held_stacks(recorder::live_snapshot const& of,
                                           std::shared_ptr<symbolize::resolver> const& names);

}  // namespace memprof::tools
