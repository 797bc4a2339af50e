// SPDX-License-Identifier: MIT
/// \file
/// A command line that cannot be meant so: exit status 2.
#pragma once

#include <stdexcept>

namespace memprof::tools {

///  - `what()`: names the option or argument.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace memprof::tools
