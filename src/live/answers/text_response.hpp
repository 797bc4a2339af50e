// SPDX-License-Identifier: MIT
/// \file
/// Answers in words.
#pragma once

#include <string>

#include "memprof/serve/respond.hpp"

namespace memprof::answers {

/// Not the component of that name, which shows traces.
namespace serve = memprof::v0::serve;

/// With a line's end. `status` may be a refusal.
[[nodiscard]] serve::response text_response(int status, std::string text);
/// 503: try again.
[[nodiscard]] serve::response busy_response(std::string why);
/// The text as it is.
[[nodiscard]] serve::response plain_response(std::string body);

}  // namespace memprof::answers
