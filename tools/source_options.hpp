// SPDX-License-Identifier: MIT
/// \file
/// Where the sources are that a trace names.
#pragma once

#include "page_server/page_server.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

/// --substitute-path.
void add_source_options(CLI::App& app, page_server::source_options& options);

}  // namespace memprof::tools
