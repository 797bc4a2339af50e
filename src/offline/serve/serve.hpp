// SPDX-License-Identifier: MIT
/// \file
/// Front header of `serve`: traces over HTTP, for the page in viewer/; docs/serve.md.
#pragma once

#include "serve/live_server.hpp"
#include "serve/page.hpp"
#include "serve/routes.hpp"
#include "serve/served_trace.hpp"
#include "serve/single_file.hpp"
#include "serve/source_files.hpp"
