// SPDX-License-Identifier: MIT
/// \file
/// Where the sources are that a trace names.
#pragma once

#include "serve/serve.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

/// --substitute-path.
void add_source_options(CLI::App& app, serve::source_options& options);

}  // namespace memprof::tools
