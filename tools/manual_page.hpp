// SPDX-License-Identifier: MIT
/// \file
/// Manual pages, in the macros of man(7).
#pragma once

#include <span>
#include <string>

#include "tools/command_text.hpp"

namespace memprof::tools {

/// "memprof-top", or "memprof": the name of its page, in section 1.
[[nodiscard]] std::string manual_page_name(command_text const& command);

/// The page of one of `all`, which the page of memprof itself lists. Its date is SOURCE_DATE_EPOCH,
/// for builds that can be repeated, or else today.
///
/// \throws std::runtime_error if SOURCE_DATE_EPOCH is no time.
[[nodiscard]] std::string manual_page(command_text const& command,
                                      std::span<command_text const> all);

}  // namespace memprof::tools
