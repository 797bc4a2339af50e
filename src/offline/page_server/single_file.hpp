// SPDX-License-Identifier: MIT
/// \file
/// The page and a trace in one file, which works without a server.
#pragma once

#include <string>
#include <string_view>

#include "page_server/served_trace.hpp"

namespace memprof::page_server {

/// What stands in <script id="memprof-data">: base64 of the gzip of the index. No "<" is in it, so
/// no name in a trace can end the element.
[[nodiscard]] std::string single_file_data(trace_state const& state);
/// What stands in <script id="memprof-sources">, in the same form: the lines of sources that the
/// page may show, as `source_files::excerpts` has them.
[[nodiscard]] std::string single_file_sources(trace_state const& state, source_files const& files);

/// `page` with `data` in its element memprof-data, and `sources` in memprof-sources.
/// \throws std::runtime_error if it has none.
[[nodiscard]] std::string with_data(std::string_view page, std::string_view data,
                                    std::string_view sources);

}  // namespace memprof::page_server
