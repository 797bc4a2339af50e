// SPDX-License-Identifier: MIT
/// \file
/// Numbers and texts in JSON, the same in every export.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace memprof::exports {

/// A whole number if it is one (below 2^53), else the shortest text that reads back as the same
/// double; null for NaN and infinities.
[[nodiscard]] nlohmann::ordered_json json_number(double number);

/// UTF-8 whatever the trace holds, and printable: \u202e.
///
/// \param indent -1: all in one line.
[[nodiscard]] std::string json_text(nlohmann::ordered_json const& value, int indent = -1);

}  // namespace memprof::exports
