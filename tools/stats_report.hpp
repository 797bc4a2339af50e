// SPDX-License-Identifier: MIT
/// \file
/// The output of `memprof stats`: for people, for programs, as tables, as plots.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memprof/trace/info.hpp"

#include "analysis/analysis.hpp"
#include "tools/text_report.hpp"

namespace memprof::tools {

/// One trace, analysed.
struct stats_subject {
  std::string name;     ///< of the file
  std::string program;  ///< that was traced
  std::string under;    ///< the choice, as given; empty: all blocks
  trace::info info;
  analysis::statistics numbers;
  analysis::site_kind by = analysis::site_kind::site;
  std::vector<analysis::site_row> sites;  ///< all of them
  std::size_t top = 10;                   ///< as many are printed
};

[[nodiscard]] std::string stats_text(stats_subject const& s, colours const& c, page const& fits);
[[nodiscard]] nlohmann::ordered_json stats_json(stats_subject const& s);
/// The numbers of ocaml-alloc-stats's notebooks, under the names of the golden files.
[[nodiscard]] nlohmann::ordered_json alloc_stats_json(analysis::alloc_stats const& a);

/// Tables that `--csv` knows.
[[nodiscard]] std::vector<std::string> const& stats_table_names();
[[nodiscard]] std::string stats_csv(stats_subject const& s, std::string_view table);

/// File names and SVG documents.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> stats_plots(stats_subject const& s);

}  // namespace memprof::tools
