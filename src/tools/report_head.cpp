// SPDX-License-Identifier: MIT
#include "tools/report_head.hpp"

#include "tools/amount.hpp"
#include "tools/text_report.hpp"

namespace memprof::tools {

std::string interval_text(analysis::bytes_estimate const& e) {
  using analysis::bytes_text;
  if (e.lower == e.upper) return bytes_text(e.value);
  return bytes_text(e.value) + " (" + bytes_text(e.lower) + " to " + bytes_text(e.upper) + ")";
}

std::string report_head(analysis::usage const& u, analysis::sample_errors& errors) {
  using analysis::count_text;
  using analysis::duration_text;
  std::string text = printable(u.info.executable_name) + " [" + std::to_string(u.info.pid) + "], " +
                     duration_text(u.duration) + ", " +
                     count_text(static_cast<double>(u.total.allocated.samples)) +
                     " samples at rate " + readable(u.info.sample_rate) + "\n";
  text += "allocated " + interval_text(errors.estimate(u.total.allocated.samples)) +
          "; in use at the end " + interval_text(errors.estimate(u.total.in_use.samples)) +
          "; peak " + interval_text(errors.estimate(u.total.at_peak.samples)) + " at " +
          duration_text(u.peak_time) + "\n\n";
  return text;
}

}  // namespace memprof::tools
