// SPDX-License-Identifier: MIT
#include "http/authorization.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace memprof::http {
namespace {

bool is_same(std::string_view given, std::string_view token) noexcept {
  unsigned different = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    different |= static_cast<unsigned char>(given[i] ^ token[i % token.size()]);
  }
  return different == 0;
}

/// Whether `text` begins with the scheme, in any case of letters; takes it off then.
bool take_scheme(std::string_view& text, std::string_view lower_case) noexcept {
  const std::string_view begin = text.substr(0, lower_case.size());
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
  };
  if (!std::ranges::equal(begin, lower_case, same)) return false;
  text.remove_prefix(lower_case.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return true;
}

/// Of RFC 4648; nullopt: malformed.
std::optional<std::string> decoded(std::string_view base64) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 2 && base64.ends_with('='); ++i) base64.remove_suffix(1);
  std::string result;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : base64) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    result += static_cast<char>(bits >> count & 0xff);
  }
  return result;
}

}  // namespace

bool is_right_token(std::string_view authorization, std::string_view token) {
  if (take_scheme(authorization, "bearer ")) return is_same(authorization, token);
  if (!take_scheme(authorization, "basic ")) return false;
  auto const pair = decoded(authorization);
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  return colon != std::string::npos && is_same(std::string_view(*pair).substr(colon + 1), token);
}

}  // namespace memprof::http
