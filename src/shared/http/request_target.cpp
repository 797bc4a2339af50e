// SPDX-License-Identifier: MIT
#include "http/request_target.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace memprof::http {
namespace {

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

/// Takes what comes before the separator, or all, off the front of `text`.
std::string_view next_part(std::string_view& text, char separator) noexcept {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

bool same_word(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(
      a, b, [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x + ('a' - 'A') : x) == y; });
}

/// q of a media range in thousandths; malformed: 0.
int weight_of(std::string_view text) noexcept {
  int weight = 0;
  int digit = 1000;
  for (std::size_t i = 0; i < text.size() && i < 5; ++i) {
    if (i == 1 && text[i] == '.') continue;
    if (text[i] < '0' || text[i] > '9') return 0;
    weight += (text[i] - '0') * digit;
    digit /= 10;
  }
  return std::min(weight, 1000);
}

}  // namespace

std::optional<std::string_view> request_target::value(std::string_view name) const noexcept {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view part = next_part(rest, '&');
    const std::size_t equals = part.find('=');
    if (part.substr(0, equals) != name) continue;
    return equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
  }
  return std::nullopt;
}

std::string decoded_path(std::string_view path) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    unsigned char byte = 0;
    char const* const digits = path.data() + i + 1;
    if (path[i] == '%' && i + 2 < path.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += path[i];
    }
  }
  return result;
}

std::optional<std::uint32_t> natural_number(std::string_view text, std::uint32_t most) noexcept {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number > most) {
    return std::nullopt;
  }
  return number;
}

bool prefers_openmetrics(std::string_view accept) noexcept {
  int open = 0;
  int plain = 0;
  while (!accept.empty()) {
    std::string_view range = next_part(accept, ',');
    const std::string_view type = trimmed(next_part(range, ';'));
    int weight = 1000;
    bool known_version = true;
    while (!range.empty()) {
      std::string_view value = range = trimmed(range);
      value = next_part(range, ';');
      const std::string_view name = trimmed(next_part(value, '='));
      value = trimmed(value);
      if (same_word(name, "q")) weight = weight_of(value);
      // 0.0.1 is what OpenMetrics was called before.
      if (same_word(name, "version")) known_version = value == "1.0.0" || value == "0.0.1";
    }
    if (same_word(type, "application/openmetrics-text") && known_version) {
      open = std::max(open, weight);
    } else if (same_word(type, "text/plain") || same_word(type, "text/*")) {
      plain = std::max(plain, weight);
    }
  }
  return open > 0 && open >= plain;
}

}  // namespace memprof::http
