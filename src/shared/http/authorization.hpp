// SPDX-License-Identifier: MIT
/// \file
/// Who may ask: the header Authorization.
#pragma once

#include <string_view>

namespace memprof::http {

/// Whether the header has the token: "Bearer TOKEN"; or "Basic ...", as a browser sends it, with
/// any user and the token as password. Compared in a time that does not tell how much is right.
///
/// \param token not empty.
[[nodiscard]] bool is_right_token(std::string_view authorization, std::string_view token);

}  // namespace memprof::http
