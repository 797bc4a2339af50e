// SPDX-License-Identifier: MIT
/// \file
/// Functions that only pass memory on to their callers, as xmalloc does.
#pragma once

#include <string>
#include <vector>

#include "analysis/usage.hpp"

namespace memprof::analysis {

///  - `functions`: by samples, greatest first.
///  - `share`: of all samples, those that they allocate themselves.
struct wrappers {
  std::vector<std::string> functions;
  double share = 0;
};

/// A wrapper allocates whatever is allocated under it by itself (95 %), in one line (90 %), for
/// four callers or more, none of which is most of it (75 %); and at least 1 % of all samples, and
/// 20. Once these are left out their callers may turn out to be such, too: they are looked for
/// three times. The page does the same (viewer/src/engine/wrappers.ts).
///
/// \param u by stacks, without allocation functions.
[[nodiscard]] wrappers find_wrappers(usage const& u);

}  // namespace memprof::analysis
