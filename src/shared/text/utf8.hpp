// SPDX-License-Identifier: MIT
/// \file
/// Text from files that nobody vouches for, made valid.
#pragma once

#include <string>
#include <string_view>

namespace memprof::text {

/// `text` with everything that is not UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string utf8(std::string_view text);

}  // namespace memprof::text
