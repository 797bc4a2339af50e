// SPDX-License-Identifier: MIT
#include "tools/rows_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "analysis/analysis.hpp"

namespace memprof::tools {

void rows_option::add(CLI::App& app) {
  app.add_option("-n,--rows", most_, "Rows to show; 0: all (default 25)")->type_name("N");
}

std::size_t rows_option::shown(std::size_t all) const {
  return most_ == 0 ? all : std::min(most_, all);
}

std::string rows_option::left_out(std::size_t all) const {
  const std::size_t rest = all - shown(all);
  if (rest == 0) return {};
  return fmt::format("and {} more; -n 0 shows all\n",
                     analysis::count_text(static_cast<double>(rest)));
}

}  // namespace memprof::tools
