// SPDX-License-Identifier: MIT
/// \file
/// Text as a string of JSON.
#pragma once

#include <string>
#include <string_view>

namespace memprof::page_index {

/// With its quotes. `text` must be UTF-8.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace memprof::page_index
