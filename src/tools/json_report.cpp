// SPDX-License-Identifier: MIT
#include "tools/json_report.hpp"

#include <cmath>
#include <cstdint>

namespace memprof::tools {

nlohmann::ordered_json json_report(char const* report) {
  return {{"schema_version", json_schema_version}, {"report", report}};
}

nlohmann::ordered_json json_number(double number) {
  if (!std::isfinite(number)) return nullptr;
  if (std::fabs(number) < 0x1p53 && number == std::floor(number)) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

std::string json_text(nlohmann::ordered_json const& report) {
  return report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace memprof::tools
