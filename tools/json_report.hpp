// SPDX-License-Identifier: MIT
/// \file
/// Reports for programs: what all `--json` outputs have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "export/export.hpp"

namespace memprof::tools {

/// Version of the reports' fields. Fields are only added; when one must change its meaning this
/// grows.
inline constexpr int json_schema_version = 1;

/// {"schema_version": 1, "report": "top"}: put the rest behind it.
[[nodiscard]] nlohmann::ordered_json json_report(char const* report);

using exports::json_number;

/// One line for each field, UTF-8 whatever the trace holds, a newline at the end.
[[nodiscard]] std::string json_text(nlohmann::ordered_json const& report);

}  // namespace memprof::tools
