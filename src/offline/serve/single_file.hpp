// SPDX-License-Identifier: MIT
/// \file
/// The page and a trace in one file, which works without a server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "serve/served_trace.hpp"

namespace memprof::serve {

/// Beyond so many sampled blocks the file holds the routes' answers in place of the trace.
inline constexpr std::uint64_t most_embedded_objects = 2'000'000;

/// What stands in <script id="memprof-data">: {"trace", "index", "tables"}, or {"trace",
/// "answers"}. No "<" is in it, so no name in a trace can end the element.
[[nodiscard]] std::string single_file_data(std::shared_ptr<served_trace> const& trace,
                                           std::string const& version,
                                           std::uint64_t most_objects = most_embedded_objects);

/// `page` with `data` in its element memprof-data.
/// throws      std::runtime_error if it has none.
[[nodiscard]] std::string with_data(std::string_view page, std::string_view data);

}  // namespace memprof::serve
