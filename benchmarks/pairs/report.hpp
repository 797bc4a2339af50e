// SPDX-License-Identifier: MIT
/// \file
/// The results as Markdown and as JSON.
#pragma once

#include <string>
#include <vector>

#include "measurement.hpp"

namespace pairs {

/// What was measured, and how.
///
/// deepest_stack   frames as the trackers saw them, 0 if none did.
/// predicted       share of the turns before and after which indirect calls were predicted.
struct report {
  plan how;
  std::vector<result> results = {};
  std::uint64_t deepest_stack = 0;
  double predicted = 0;
};

/// A number that follows from several variants of one workload.
struct derived {
  std::string what;
  workload const* of = nullptr;
  quartiles value;
};
[[nodiscard]] std::vector<derived> derive(report const& r);

/// Farthest from 1 that a control may be in a run that counts.
inline constexpr double control_tolerance = 0.01;
[[nodiscard]] bool control_holds(result const& r);

[[nodiscard]] std::string to_markdown(report const& r);
[[nodiscard]] std::string to_json(report const& r);

/// Under its final name only when it is whole.
/// throws      std::runtime_error, naming the file.
void write_file(std::string const& name, std::string const& text);

}  // namespace pairs
