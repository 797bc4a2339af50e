// SPDX-License-Identifier: MIT
/// \file
/// All variants of a workload in random turns, and what each round took.
#pragma once

#include <cstdint>
#include <vector>

#include "variants.hpp"
#include "workloads.hpp"

namespace pairs {

/// rounds            each gives one ratio.
/// processes         that the rounds are shared among.
/// turns             of each variant in a round, of about 0.1 ms each.
/// depth             frames between the program's main and the loop.
/// frame_pointers    whether these have them.
/// predicted_only    counts only turns before and after which indirect calls are predicted: see
///                   branch_prediction.hpp.
struct plan {
  int rounds = 60;
  int processes = 1;
  int turns = 8;
  int depth = 21;
  bool frame_pointers = true;
  bool predicted_only = false;
};

/// One variant in one workload.
///
/// nanoseconds         for a pair, in each round.
/// samples_per_pair    sampled blocks.
struct series {
  variant const* what = nullptr;
  std::vector<double> nanoseconds;
  double samples_per_pair = 0;
};

/// The first is bare, the second the control.
///
/// unwinds             for one _Unwind_Backtrace, in each round.
/// turns, predicted    all that were taken, and those among predicted calls.
struct result {
  workload const* what = nullptr;
  std::vector<series> variants = {};
  std::vector<double> unwinds = {};
  std::uint64_t turns = 0;
  std::uint64_t predicted = 0;

  [[nodiscard]] series const* find(char const* variant_name) const;
};

/// The first of them bare, the second the control.
using chosen_variants = std::vector<loaded_variant const*>;

/// throws      std::runtime_error if a limit was reached, which none should be, or if hardly any
///             turn was predicted and others are not to count.
[[nodiscard]] result measure(workload const& w, chosen_variants const& variants, plan const& p);

/// Middle, and the quarters around it.
struct quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
[[nodiscard]] quartiles quartiles_of(std::vector<double> values);

/// Of numerator / denominator, and of numerator - denominator, round by round.
[[nodiscard]] quartiles ratio(std::vector<double> const& numerator,
                              std::vector<double> const& denominator);
[[nodiscard]] quartiles difference(std::vector<double> const& from,
                                   std::vector<double> const& less);

}  // namespace pairs
