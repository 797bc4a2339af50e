// SPDX-License-Identifier: MIT
#include "tools/amount.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace memprof::tools {
namespace {

struct unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<unit, 5> units{
    {{"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}}};

[[noreturn]] void refuse(std::string_view option, std::string const& text, char const* why) {
  throw std::invalid_argument(fmt::format("{}: '{}' {}", option, text, why));
}

/// The number at the beginning of `text`, and where it ends.
double leading_number(std::string_view option, std::string const& text, char const*& end) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) refuse(option, text, "is not a number");
  end = rest;
  return value;
}

}  // namespace

double parse_number(std::string_view option, std::string const& text) {
  char const* end = nullptr;
  const double value = leading_number(option, text, end);
  if (*end != '\0') refuse(option, text, "is not a number");
  return value;
}

std::string readable(bytes amount, bool down) {
  std::size_t i = 0;
  const auto size = static_cast<double>(amount.count());
  while (i + 1 < units.size() && size >= units[i + 1].bytes) ++i;
  double value = size / units[i].bytes;
  int digits = 0;
  if (i > 0) {
    digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
    const double scale = std::pow(10.0, digits);
    value = (down ? std::floor(value * scale) : std::ceil(value * scale)) / scale;
  }
  return fmt::format("{:.{}f} {}", value, digits, units[i].name);
}

std::string readable(double number) { return fmt::format("{:.3g}", number); }

}  // namespace memprof::tools
