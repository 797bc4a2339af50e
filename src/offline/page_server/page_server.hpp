// SPDX-License-Identifier: MIT
/// \file
/// Front header of `page_server`: traces over HTTP, for the page in viewer/; docs/serve.md.
#pragma once

#include "page_server/live_server.hpp"
#include "page_server/page.hpp"
#include "page_server/routes.hpp"
#include "page_server/served_trace.hpp"
#include "page_server/single_file.hpp"
#include "page_server/source_files.hpp"
