// SPDX-License-Identifier: MIT
/// \file
/// Reports for programs: what all `--json` outputs have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "export/export.hpp"

namespace memprof::tools {

/// Version of the reports' fields. Fields are only added; when one must change its meaning this
/// grows.
inline constexpr int json_schema_version = 1;

/// {"schema_version": 1, "report": "top"}: put the rest behind it.
[[nodiscard]] nlohmann::ordered_json json_report(char const* report);

using exports::json_number;

/// {"NAME": "VALUE"}; of notes with one name the last.
[[nodiscard]] nlohmann::ordered_json json_notes(std::vector<analysis::text_note> const& notes);

/// One line for each field, UTF-8 whatever the trace holds, a newline at the end.
[[nodiscard]] std::string json_text(nlohmann::ordered_json const& report);

}  // namespace memprof::tools
