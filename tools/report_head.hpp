// SPDX-License-Identifier: MIT
/// \file
/// The first lines of a report: the traced program, and the totals of the trace.
#pragma once

#include <string>

#include "analysis/analysis.hpp"
#include "tools/text_report.hpp"

namespace memprof::tools {

/// "server [4711], 8.06 s, 20,064 samples at rate 2e-04\nallocated 765 MiB ... \n\n"
[[nodiscard]] std::string report_head(analysis::usage const& u, analysis::sample_errors& errors,
                                      page const& fits);

/// "peak 412 MiB (371 to 457 MiB) at 2.01 s, never over 478 MiB"; with the intervals of errors.
[[nodiscard]] std::string peak_text(analysis::usage const& u, analysis::sample_errors& errors);

/// "+-12 %": the wider side of the interval; "exact"; nothing for 0.
[[nodiscard]] std::string error_text(analysis::estimated const& e);

/// "412 MiB (389 to 436 MiB)": with its interval.
[[nodiscard]] std::string interval_text(analysis::estimated const& e);

}  // namespace memprof::tools
