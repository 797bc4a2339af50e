// SPDX-License-Identifier: MIT
/// \file
/// Reads the tables in data/: a header line, then numbers with commas.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace memprof::test {

/// The rows of data/<name>, the header left out; throws if it is not there.
inline std::vector<std::vector<std::string>> reference_table(std::string const& name) {
  std::ifstream file(MEMPROF_STATS_DATA_DIR "/" + name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("no table " + name);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

/// 0 for what is under the range of double ("2.9e-1221").
inline double number(std::string const& cell) { return std::strtod(cell.c_str(), nullptr); }

/// |a / b - 1|; 0 if both are under 1e-300.
inline double relative_error(double a, double b) {
  if (a < 1.000001e-300 && b < 1e-300) return 0;
  return a > b ? a / b - 1 : 1 - a / b;
}

}  // namespace memprof::test
