// SPDX-License-Identifier: MIT
#include "export/plot_ticks.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <string_view>

namespace memprof::exports {
namespace {

struct unit {
  double size;
  std::string_view name;
};
constexpr std::array<unit, 7> byte_units{{{1, " B"},
                                          {0x1p10, " KiB"},
                                          {0x1p20, " MiB"},
                                          {0x1p30, " GiB"},
                                          {0x1p40, " TiB"},
                                          {0x1p50, " PiB"},
                                          {0x1p60, " EiB"}}};
constexpr std::array<unit, 5> time_units{
    {{1, " \u00b5s"}, {1e3, " ms"}, {1e6, " s"}, {60e6, " min"}, {3600e6, " h"}}};
constexpr std::array<unit, 5> number_units{
    {{1, ""}, {1e3, " k"}, {1e6, " M"}, {1e9, " G"}, {1e12, " T"}}};
constexpr std::array<unit, 1> share_units{{{0.01, " %"}}};

std::span<unit const> units_of(quantity q) {
  switch (q) {
    case quantity::bytes:
    case quantity::bytes_per_second:
      return byte_units;
    case quantity::time:
      return time_units;
    case quantity::share:
      return share_units;
    case quantity::number:
      break;
  }
  return number_units;
}

unit unit_for(quantity q, double value) {
  const auto units = units_of(q);
  unit best = units.front();
  for (unit const& u : units) {
    if (value >= u.size * (1 - 1e-9)) best = u;
  }
  return best;
}

std::string text_of(quantity q, double value, unit const& u) {
  const double shown = value / u.size;
  return fmt::format("{:.6g}{}{}", std::fabs(shown) < 1e-9 ? 0.0 : shown, u.name,
                     q == quantity::bytes_per_second ? "/s" : "");
}

/// 1, 2 or 5 times a power of ten, at least `least`.
double round_up(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<tick> ticks_of(axis const& a, double low, double high) {
  std::vector<tick> result;
  if (a.logarithmic) {
    const double base = a.of == quantity::bytes ? 2 : 10;
    const double first = std::ceil(std::log(low) / std::log(base) - 1e-9);
    const double last = std::floor(std::log(high) / std::log(base) + 1e-9);
    const double every = std::max(1.0, std::ceil((last - first + 1) / 10));
    for (double i = first; i <= last; i += every) {
      const double at = std::pow(base, i);
      result.push_back({at, text_of(a.of, at, unit_for(a.of, at))});
    }
    return result;
  }
  const unit u = unit_for(a.of, std::max(std::fabs(low), std::fabs(high)));
  const double step = round_up((high - low) / u.size / 6) * u.size;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) {
    result.push_back({i * step, text_of(a.of, i * step, u)});
  }
  return result;
}

}  // namespace memprof::exports
