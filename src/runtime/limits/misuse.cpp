// SPDX-License-Identifier: MIT
#include "limits/misuse.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

#include "base/base.hpp"

namespace memprof::inline v0::detail {

void end_by_misuse(char const* function, char const* what) noexcept {
  std::array<char, 400> text{};
  std::size_t length = 0;
  for (char const* part : {function, ": ", what}) {
    for (; *part != '\0' && length + 1 < text.size(); ++part) text[length++] = *part;
  }
  base::raw_message(text.data());
  std::abort();
}

}  // namespace memprof::inline v0::detail
