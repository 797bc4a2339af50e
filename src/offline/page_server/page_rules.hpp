// SPDX-License-Identifier: MIT
/// \file
/// How a trace is served over HTTP, whatever is answered: methods, headers, compression, refusals.
#pragma once

#include <memory>
#include <string>

#include "http/http.hpp"
#include "page_server/routes.hpp"

namespace memprof::page_server {

/// For a server at `host`, which requests must name: so no page from elsewhere can ask in the name
/// of a host of its own that it let point here (DNS rebinding).
///
/// Only GET and HEAD, without bodies. Ranges are not known: all of a body is sent. Texts over 1 KiB
/// are compressed if the client takes that; an index would take seconds. Refusals are JSON.
[[nodiscard]] http::connection_rules page_rules(std::shared_ptr<service const> answers,
                                                std::string host);

}  // namespace memprof::page_server
