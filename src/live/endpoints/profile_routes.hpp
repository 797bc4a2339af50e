// SPDX-License-Identifier: MIT
/// \file
/// The answers below /debug/pprof.
#pragma once

#include "memprof/serve/respond.hpp"

#include "endpoints/request_target.hpp"

namespace memprof::endpoints {

enum class profile_kind { heap, allocs, delta_heap };

/// An answer in words; `status` may be a refusal.
[[nodiscard]] serve::response text_response(int status, std::string text);

/// Not now: another request is being answered.
[[nodiscard]] serve::response busy_response(char const* why);

[[nodiscard]] serve::response index_page();
[[nodiscard]] serve::response profile_response(profile_kind kind, request_target const& target);
[[nodiscard]] serve::response command_line();
/// addresses   "0x4a1e+0x5b00"
[[nodiscard]] serve::response symbols(std::string_view addresses);

}  // namespace memprof::endpoints
