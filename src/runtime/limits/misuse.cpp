// SPDX-License-Identifier: MIT
#include "limits/misuse.hpp"

#include <cstdlib>

#include "base/base.hpp"

namespace memprof::inline v0::detail {

void end_by_misuse(char const* function, char const* what) noexcept {
  base::raw_message({function, ": ", what});
  std::abort();
}

}  // namespace memprof::inline v0::detail
