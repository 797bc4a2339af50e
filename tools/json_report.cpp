// SPDX-License-Identifier: MIT
#include "tools/json_report.hpp"

namespace memprof::tools {

nlohmann::ordered_json json_report(char const* report) {
  return {{"schema_version", json_schema_version}, {"report", report}};
}

std::string json_text(nlohmann::ordered_json const& report) {
  return exports::json_text(report, 1) + "\n";
}

nlohmann::ordered_json json_notes(std::vector<analysis::text_note> const& notes) {
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  for (analysis::text_note const& n : notes) j[n.name] = n.value;
  return j;
}

}  // namespace memprof::tools
