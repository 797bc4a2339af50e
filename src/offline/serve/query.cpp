// SPDX-License-Identifier: MIT
#include "serve/query.hpp"

#include <array>

namespace memprof::serve {
namespace {

constexpr std::array measures{analysis::measure::allocated, analysis::measure::in_use,
                              analysis::measure::peak};
constexpr std::array groupings{analysis::grouping::function, analysis::grouping::site,
                               analysis::grouping::file, analysis::grouping::module};

}  // namespace

analysis::measure measure_of(parameters& p) {
  return measures[p.choice("value", {"allocated", "in_use", "peak"})];
}

char const* name_of(analysis::measure m) noexcept {
  return m == analysis::measure::allocated ? "allocated"
         : m == analysis::measure::in_use  ? "in_use"
                                           : "peak";
}

analysis::grouping grouping_of(parameters& p) {
  return groupings[p.choice("by", {"function", "site", "file", "module"})];
}

}  // namespace memprof::serve
