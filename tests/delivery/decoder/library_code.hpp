// SPDX-License-Identifier: MIT
/// \file
/// The code of a shared library, procedure by procedure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memprof::test {

struct code_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

struct library_code {
  std::string path;
  std::uintptr_t bias = 0;             ///< what the loader added to the addresses in the file
  std::vector<code_range> procedures;  ///< as in memory, ascending
};

/// Loads the library `name` (empty: this program) for good, and lists what its unwind tables cover:
/// they have the functions of stripped libraries, too, and their sizes. Empty if it cannot be
/// loaded.
library_code load_code(std::string const& name);

}  // namespace memprof::test
