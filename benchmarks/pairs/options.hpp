// SPDX-License-Identifier: MIT
/// \file
/// The command line.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "measurement.hpp"

namespace pairs {

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// variants    bare and the control among them, in the order of `all_variants`.
/// other       another build of the library's module, or empty: then each library variant is there
///             twice.
/// rounds_to   where a process among others writes its rounds, instead of a report; or empty.
/// asked       the variants were named: then they are measured in every workload.
struct options {
  plan how = {};
  std::vector<workload const*> workloads;
  std::vector<variant const*> variants;
  std::string rounds_to = {};
  bool asked = false;
  bool help = false;
  std::string json = {};
  std::string other = {};
};

/// throws      usage_error, naming what is wrong.
[[nodiscard]] options read_options(int argc, char** argv);

[[nodiscard]] std::string help_text();

}  // namespace pairs
