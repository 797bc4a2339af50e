// SPDX-License-Identifier: MIT
#include "analysis/amount_text.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace memprof::analysis {
namespace {

constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

/// Three significant digits, and as many more as the integer part needs.
std::string three_digits(double value, std::string_view unit) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace

std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "?";
  if (bytes < 0) return "-" + bytes_text(-bytes);
  if (bytes < 1023.5) return fmt::format("{:.0f} B", bytes);
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
  return fmt::format("{:.1f} %", 100 * part / whole);
}

std::string error_text(double share) {
  // Not one more for the last digit of a quotient.
  return fmt::format("+-{:.0f} %", std::max(1.0, std::ceil(100 * share * (1 - 1e-12))));
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return "?";
  std::string text = fmt::format("{:.0f}", std::fabs(count));
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return count <= -0.5 ? "-" + text : text;
}

std::string count_text(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count_text(static_cast<double>(count)), one, count == 1 ? "" : "s");
}

std::string duration_text(std::chrono::microseconds time) {
  const auto us = static_cast<double>(time.count());
  if (us < 1000) return fmt::format("{:.0f} us", us);
  if (us < 999'500) return three_digits(us / 1e3, "ms");
  if (us < 119.5e6) return three_digits(us / 1e6, "s");
  const auto seconds = std::llround(us / 1e6);
  return fmt::format("{} min {} s", seconds / 60, seconds % 60);
}

}  // namespace memprof::analysis
