// SPDX-License-Identifier: MIT
/// \file
/// The page and a trace in one file, which works without a server.
#pragma once

#include <string>
#include <string_view>

#include "serve/served_trace.hpp"

namespace memprof::serve {

/// What stands in <script id="memprof-data">: base64 of the gzip of the index. No "<" is in it, so
/// no name in a trace can end the element.
[[nodiscard]] std::string single_file_data(trace_state const& state);

/// `page` with `data` in its element memprof-data.
/// throws      std::runtime_error if it has none.
[[nodiscard]] std::string with_data(std::string_view page, std::string_view data);

}  // namespace memprof::serve
