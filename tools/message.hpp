// SPDX-License-Identifier: MIT
/// \file
/// Messages of a command, besides its result.
#pragma once

#include <string_view>

namespace memprof::tools {

/// "memprof: TEXT", a line on standard error. Nothing happens if it cannot be written.
void message(std::string_view text);

}  // namespace memprof::tools
