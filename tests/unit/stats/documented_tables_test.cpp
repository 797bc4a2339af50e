// SPDX-License-Identifier: MIT
// The tables of docs/statistical.md and docs/choosing.md that stand after a mark
// "<!-- table: name -->", and the numbers in their text.
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
std::vector<std::vector<std::string>> documented(std::string const& name,
                                                 char const* page = "statistical.md") {
  std::ifstream file(std::string(MEMPROF_DOCS_DIR "/") + page);
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

namespace {

/// "64 KiB" as bytes.
double amount(std::string const& cell) {
  std::istringstream words(cell);
  double number = 0;
  std::string unit;
  words >> number >> unit;
  REQUIRE((unit == "B" || unit == "KiB" || unit == "MiB"));
  return number * (unit == "B" ? 1 : unit == "KiB" ? 1024 : 1048576);
}

/// Half a unit of the last digit written, in bytes: whole numbers have none to spare.
double half_digit(std::string const& cell) {
  const auto point = cell.find('.');
  if (point == std::string::npos)
    return 0.5 * amount("1 " + cell.substr(cell.find_last_of(' ', cell.size() - 2) + 1));
  const auto digits = cell.find_first_not_of("0123456789", point + 1) - point - 1;
  return 0.5 * amount("1" + cell.substr(cell.find(' ', point))) *
         std::pow(10.0, -static_cast<double>(digits));
}

void check_rounded(std::string const& cell, bytes value) {
  CAPTURE(cell, value.count());
  CHECK(std::abs(amount(cell) - static_cast<double>(value.count())) <= half_digit(cell) * 1.001);
}

/// "100 million" as a number.
double plain(std::string cell) {
  std::erase(cell, ' ');
  const double scale = cell.ends_with("million") ? 1e6 : 1;
  return std::stod(cell) * scale;
}

}  // namespace

TEST_CASE("documented tables: what a block counts") {
  const auto row = documented("counts", "choosing.md").at(0);
  REQUIRE(row.size() == 7);
  const std::int64_t sizes[] = {1, 8, 16, 24, 100, 4096};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(amount(row[i + 1]) == static_cast<double>(bytes{block_words(bytes{sizes[i]})}.count()));
  }
  CHECK(64 * 1048576.0 / 32 == Approx(2.1e6).epsilon(0.01));  // nodes of a list
}

TEST_CASE("documented tables: the risk that a fleet needs") {
  const auto rows = documented("fleet", "choosing.md");
  REQUIRE(rows.size() == 4);
  for (auto const& row : rows) {
    const double tasks = plain(row.at(0)) * plain(row.at(1)) * std::stod(row.at(2)) * 365.25;
    CHECK(std::stod(row.at(3)) == Approx(1 / tasks).epsilon(0.02));
  }
}

TEST_CASE("documented tables: limits for 50 MiB") {
  const auto rows = documented("risks", "choosing.md");
  REQUIRE(rows.size() == 5);
  for (auto const& row : rows) {
    const double t = std::stod(row.at(0));
    const bytes limit = limit_for_safe(50_MiB, t);
    check_rounded(row.at(1), limit);
    check_rounded(row.at(2), certain_interruption(limit, t));
  }
}

TEST_CASE("documented tables: small limits") {
  const auto rows = documented("small", "choosing.md");
  REQUIRE(rows.size() == 8);
  for (auto const& row : rows) {
    const bytes limit{static_cast<std::int64_t>(amount(row.at(0)))};
    const sampling_rate rate{std::stod(row.at(1))};
    // Rounded down, and up, to the digits that are written.
    const double safe = static_cast<double>(bytes{safe_allocation(limit, 1e-9, rate)}.count());
    const double stopped =
        static_cast<double>(bytes{certain_interruption(limit, 1e-9, rate)}.count());
    CAPTURE(row[2], row[3], safe, stopped);
    CHECK((safe >= amount(row.at(2)) && safe < amount(row[2]) + 2 * half_digit(row[2])));
    CHECK((stopped <= amount(row.at(3)) && stopped > amount(row[3]) - 2 * half_digit(row[3])));
  }
}

TEST_CASE("documented tables: the numbers in the text of choosing.md") {
  // Rounded up, as the command prints it.
  CHECK(std::ceil(100 * mebibytes(limit_for_safe(64_MiB, 2.7e-11))) == 7905);
  check_rounded("96.32 MiB ", certain_interruption(limit_for_safe(64_MiB, 2.7e-11), 2.7e-11));
  CHECK(safe_allocation(97_KiB, 1e-9).count() <= 8);  // "below 100 kB it means nothing"
}
