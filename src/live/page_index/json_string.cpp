// SPDX-License-Identifier: MIT
#include "page_index/json_string.hpp"

namespace memprof::page_index {

std::string json_string(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20) {
      result += "\\u00";
      result += digits[code >> 4];
      result += digits[code & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace memprof::page_index
