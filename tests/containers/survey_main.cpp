// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "survey.hpp"

namespace containers {
namespace {

using memprof::testing::failure_kind;
using memprof::testing::interrupt_report;

/// What memprof has on its list counts as any other code.
void take_off_list(std::string const& file) {
  std::ifstream lines(file);
  CHECK(lines.is_open());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find(" | ");
    if (line.empty() || line[0] == '#' || end == std::string::npos) continue;
    memprof::set_delivery_through_function(line.substr(0, end),
                                           memprof::delivery_through::by_tables);
  }
}

/// What came of a point, and the column of it in the results.
struct kind {
  failure_kind what;
  char const* column;
};
constexpr auto kinds = std::to_array<kind>({{failure_kind::none, "survives"},
                                            {failure_kind::leak, "leaks"},
                                            {failure_kind::crashed, "crashes"},
                                            {failure_kind::hung, "hangs"},
                                            {failure_kind::check_failed, "inconsistent"},
                                            {failure_kind::check_threw, "inconsistent"},
                                            {failure_kind::swallowed, "swallows"},
                                            {failure_kind::scenario_threw, "throws another"}});

}  // namespace

/// What came of the points of a scenario.
struct survey::tally {
  std::uint64_t points = 0;
  std::array<std::uint64_t, kinds.size()> of_kind{};
  std::uint64_t waited = 0;  ///< of all points: the interrupt could not be raised there
  std::vector<interrupt_report> failures;
  std::string no_points;  ///< why, if there are none

  [[nodiscard]] bool all_well() const { return no_points.empty() && of_kind[0] == points; }
};

survey::tally survey::count(one const& scenario) {
  tally t;
  interrupt_report const without = scenario.replay(0);
  if (without.first_failure) {
    t.no_points = memprof::testing::to_string(without.first_failure->what);
    if (!without.first_failure->detail.empty()) t.no_points += ": " + without.first_failure->detail;
    return t;
  }
  t.points = without.points;
  for (std::uint64_t point = 1; point <= t.points; ++point) {
    interrupt_report const r = scenario.replay(point);
    const failure_kind what = r.first_failure ? r.first_failure->what : failure_kind::none;
    for (std::size_t k = 0; k < kinds.size(); ++k) t.of_kind[k] += kinds[k].what == what ? 1 : 0;
    t.waited += r.deferred;
    if (r.first_failure) t.failures.push_back(r);
  }
  return t;
}

int survey::run() {
  std::string const mode = arguments_.size() > 1 ? arguments_[1] : "";
  if (mode == "--list") {
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      std::printf("%zu\t%s\t%s\n", i, scenarios_[i].type, scenarios_[i].operation);
    }
    return 0;
  }
  if (mode == "--run") {
    CHECK(arguments_.size() > 2);
    if (arguments_.size() > 3) take_off_list(arguments_[3]);
    tally const t = count(scenarios_.at(std::strtoul(arguments_[2].c_str(), nullptr, 10)));
    std::printf("points\t%llu\nwaited\t%llu\n", static_cast<unsigned long long>(t.points),
                static_cast<unsigned long long>(t.waited));
    if (!t.no_points.empty()) std::printf("no points\t%s\n", t.no_points.c_str());
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      std::printf("%s\t%llu\n", kinds[k].column, static_cast<unsigned long long>(t.of_kind[k]));
    }
    for (interrupt_report const& r : t.failures) {
      std::printf("failure\t%s", r.first_failure->detail.c_str());
      for (auto const& frame : r.first_failure->stack) std::printf("\t%s", frame.function.c_str());
      std::printf("\n");
    }
    return 0;
  }
  for (one const& s : scenarios_) {
    if ((std::string(s.type) + ", " + s.operation).find(mode) == std::string::npos) continue;
    tally const t = count(s);
    std::printf("%s, %s: %llu points, %llu survived, %llu of them waited%s%s\n", s.type,
                s.operation, static_cast<unsigned long long>(t.points),
                static_cast<unsigned long long>(t.of_kind[0]),
                static_cast<unsigned long long>(t.waited), t.no_points.empty() ? "" : ": ",
                t.no_points.c_str());
    if (!t.failures.empty()) std::printf("%s\n", t.failures.front().message().c_str());
    CHECK(t.all_well());
  }
  return 0;
}

}  // namespace containers
