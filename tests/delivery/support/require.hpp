// SPDX-License-Identifier: MIT
/// \file
/// Checks within workloads: what comes out of a part that was not interrupted must be right.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace memprof::test {

/// Ends the process with 1 (which counts as damage) unless `ok`.
inline void require(bool ok, char const* what) noexcept {
  if (ok) return;
  std::fprintf(stderr, "wrong result: %s\n", what);
  std::_Exit(1);
}

}  // namespace memprof::test
