// SPDX-License-Identifier: MIT
/// \file
/// How many rows of a table a report shows: -n.
#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace memprof::tools {

class rows_option {
 public:
  void add(CLI::App& app);
  /// How many of `all` rows are shown.
  [[nodiscard]] std::size_t shown(std::size_t all) const;
  /// The line below the table: "and 5 more; -n 0 shows all", or nothing if all are shown.
  [[nodiscard]] std::string left_out(std::size_t all) const;

 private:
  std::size_t most_ = 25;  // 0: all
};

}  // namespace memprof::tools
