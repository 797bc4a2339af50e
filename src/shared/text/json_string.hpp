// SPDX-License-Identifier: MIT
/// \file
/// Text as JSON, which may be looked at on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace memprof::text {

/// `text` as a JSON string, with its quotes: what is not printable (base/printable.hpp) as \u202e,
/// what is not UTF-8 as U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

/// JSON, which is UTF-8, with what is not printable in its strings as \u202e.
[[nodiscard]] std::string printable_json(std::string json);

}  // namespace memprof::text
