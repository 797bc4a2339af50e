// SPDX-License-Identifier: MIT
#include "text/utf8.hpp"

#include "base/base.hpp"

namespace memprof::text {

std::string utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const base::character c = base::first_character(text);
    result += c.valid ? text.substr(0, c.length) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(c.length);
  }
  return result;
}

}  // namespace memprof::text
