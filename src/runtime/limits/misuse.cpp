// SPDX-License-Identifier: MIT
#include "limits/misuse.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/base.hpp"

namespace memprof::inline v0::detail {

void end_by_misuse(char const* function, char const* what) noexcept {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%s: %s", function, what);
  base::raw_message(text.data());
  std::abort();
}

}  // namespace memprof::inline v0::detail
