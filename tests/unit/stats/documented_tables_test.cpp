// SPDX-License-Identifier: MIT
// The tables of docs/statistical.md that stand after a mark "<!-- table: name -->", and the numbers
// in its text.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "memprof/bounds.hpp"
#include "memprof/confidence.hpp"
#include "memprof/memory_bounds.hpp"

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::literals;

namespace {

/// The numbers of the table `name`, row by row, as they are written.
std::vector<std::vector<std::string>> documented(std::string const& name) {
  std::ifstream file(MEMPROF_DOCS_DIR "/statistical.md");
  std::vector<std::vector<std::string>> rows;
  std::string line;
  while (std::getline(file, line) && line != "<!-- table: " + name + " -->") continue;
  std::getline(file, line);  // head
  std::getline(file, line);  // rule
  while (std::getline(file, line) && line.starts_with("| ")) {
    rows.emplace_back();
    std::istringstream cells(line.substr(2));
    for (std::string cell; std::getline(cells, cell, '|');) {
      if (cell.find_first_not_of(' ') == std::string::npos) continue;
      rows.back().push_back(cell);
    }
  }
  return rows;
}

double mebibytes(bytes b) { return static_cast<double>(b.count()) / 1048576; }

/// Rounded down, or up, to 3 digits after the point.
bool is_down(std::string const& cell, double value) {
  return std::abs(std::floor(value * 1000) / 1000 - std::stod(cell)) < 1e-6;
}
bool is_up(std::string const& cell, double value) {
  return std::abs(std::ceil(value * 1000) / 1000 - std::stod(cell)) < 1e-6;
}

}  // namespace

TEST_CASE("documented tables: safe amounts and stops") {
  const auto rows = documented("allocations");
  REQUIRE(rows.size() == 12);
  for (auto const& row : rows) {
    const bytes limit{std::stoll(row.at(0)) << 20};
    CAPTURE(row[0]);
    const double risks[] = {1e-9, 4e-15, 1e-50};
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(is_down(row.at(1 + i), mebibytes(safe_allocation(limit, risks[i]))));
      CHECK(is_up(row.at(4 + i), mebibytes(certain_interruption(limit, risks[i]))));
    }
  }
}

TEST_CASE("documented tables: live memory") {
  const auto rows = documented("memory");
  REQUIRE(rows.size() == 7);
  for (auto const& row : rows) {
    const bytes limit{std::stoll(row.at(0)) << 20};
    CAPTURE(row[0]);
    CHECK(is_down(row.at(1), mebibytes(safe_memory(limit, 1e-9))));
    CHECK(is_down(row.at(2), mebibytes(safe_memory(limit, 1e-50))));
    CHECK(is_up(row.at(3), mebibytes(certain_memory_interruption(limit, 1e-9))));
    CHECK(is_up(row.at(4), mebibytes(certain_memory_interruption(limit, 1e-50))));
  }
}

TEST_CASE("documented tables: Poisson limits") {
  const auto rows = documented("poisson");
  REQUIRE(rows.size() == 9);
  for (auto const& row : rows) {
    const auto events = static_cast<std::uint64_t>(std::stoll(row.at(0)));
    CAPTURE(row[0]);
    for (std::size_t i = 0; i < 2; ++i) {
      const real_interval limits = poisson_interval(events, i == 0 ? 0.95 : 0.999);
      CHECK(std::stod(row.at(1 + 2 * i)) == Approx(limits.lower).margin(5.1e-4));
      CHECK(std::stod(row.at(2 + 2 * i)) == Approx(limits.upper).margin(5.1e-4));
    }
  }
}

TEST_CASE("documented numbers: in the text") {
  const bytes limit = limit_for_safe(50_MiB, 1e-9);
  CHECK(is_up("62.180", mebibytes(limit)));
  CHECK(is_up("76.229", mebibytes(certain_interruption(limit, 1e-9))));
  const sampling_rate coarse{3e-5};
  const bytes wider = limit_for_safe(50_MiB, 1e-9, coarse);
  CHECK(is_up("72.734", mebibytes(wider)));
  CHECK(is_up("101.861", mebibytes(certain_interruption(wider, 1e-9, coarse))));
  CHECK(probability_memory_interrupted(64_MiB, 50_MiB) == Approx(5.74e-11).epsilon(1e-3));
  CHECK(probability_memory_ever_interrupted(64_MiB, 50_MiB, 10_GiB) ==
        Approx(1.14e-5).epsilon(5e-3));
  const double ratios[][2] = {{2, 0.9999},     {100, 0.995},    {1'000, 0.951},
                              {10'000, 0.582}, {30'000, 0.157}, {100'000, 0.00045}};
  for (auto const& [block, ratio] : ratios) {
    const words w{static_cast<std::int64_t>(block)};
    CHECK(variance_by_inclusion(w, 1) / variance_by_samples(w) == Approx(ratio).epsilon(0.01));
  }
}
