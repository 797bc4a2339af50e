// SPDX-License-Identifier: MIT
/// \file
/// The answers below /debug/memprof: the page, and the blocks that it draws.
#pragma once

#include <string_view>

#include "memprof/serve/respond.hpp"

namespace memprof::endpoints {

/// \param name the path behind "/debug/memprof".
[[nodiscard]] serve::response page_response(std::string_view name);

}  // namespace memprof::endpoints
