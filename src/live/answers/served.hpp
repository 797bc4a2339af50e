// SPDX-License-Identifier: MIT
/// \file
/// Between the public requests and responses and those of the small server.
#pragma once

#include <functional>

#include "memprof/serve/respond.hpp"

#include "http/http.hpp"

namespace memprof::answers {

/// `answer` as the rules of a server have it.
[[nodiscard]] std::function<http::response(http::request const&)> served(
    std::function<memprof::v0::serve::response(memprof::v0::serve::request const&)> answer);

}  // namespace memprof::answers
