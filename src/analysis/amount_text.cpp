// SPDX-License-Identifier: MIT
#include "analysis/amount_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace memprof::analysis {
namespace {

constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

/// Three significant digits, and as many more as the integer part needs.
std::string three_digits(double value, std::string_view unit) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f %.*s", decimals, value,
                static_cast<int>(unit.size()), unit.data());
  return text.data();
}

}  // namespace

std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "?";
  if (bytes < 0) return "-" + bytes_text(-bytes);
  if (bytes < 1023.5) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0f B", bytes);
    return text.data();
  }
  std::size_t i = 0;
  double value = bytes;
  while (i + 1 < units.size() && value >= 1023.5) {
    value /= 1024;
    ++i;
  }
  return three_digits(value, units[i]);
}

std::string signed_bytes_text(double bytes) {
  return bytes > 0 ? "+" + bytes_text(bytes) : bytes_text(bytes);
}

std::string percent_text(double part, double whole) {
  if (!(whole > 0) || !std::isfinite(part)) return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * part / whole);
  return text.data();
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return "?";
  std::array<char, 340> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "%.0f", std::fabs(count));
  std::string text = count <= -0.5 ? "-" : "";
  for (int i = 0; i < length; ++i) {
    if (i > 0 && (length - i) % 3 == 0) text += ',';
    text += digits[static_cast<std::size_t>(i)];
  }
  return text;
}

std::string duration_text(std::chrono::microseconds time) {
  const auto us = static_cast<double>(time.count());
  std::array<char, 64> text{};
  if (us < 1000) {
    std::snprintf(text.data(), text.size(), "%.0f us", us);
  } else if (us < 999'500) {
    return three_digits(us / 1e3, "ms");
  } else if (us < 119.5e6) {
    return three_digits(us / 1e6, "s");
  } else {
    const auto seconds = std::llround(us / 1e6);
    std::snprintf(text.data(), text.size(), "%lld min %lld s", seconds / 60, seconds % 60);
  }
  return text.data();
}

}  // namespace memprof::analysis
