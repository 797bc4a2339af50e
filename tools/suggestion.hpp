// SPDX-License-Identifier: MIT
/// \file
/// What was meant by a mistyped command or option.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace memprof::tools {

/// " (did you mean top?)": the nearest of `known`, if at most two letters of `word` are wrong,
/// missing, too many or exchanged with their neighbour, and not all but one of the known word's.
/// Else "".
[[nodiscard]] std::string suggestion(std::string_view word, std::span<std::string const> known);

}  // namespace memprof::tools
