// SPDX-License-Identifier: MIT
/// \file
/// One connection of the small server: a request is read, answered, and the connection closed.
#pragma once

#include <functional>
#include <string>

#include "memprof/serve/respond.hpp"

#include "http/listen_address.hpp"

namespace memprof::http {

/// Not the component of that name, which shows traces.
namespace serve = memprof::v0::serve;

/// answer           called on the connection's thread; what it throws closes the connection.
/// token            empty: none is asked for.
/// only_loopback    refuse requests that name another host in their header Host.
struct connection_rules {
  std::function<serve::response(serve::request const&)> answer;
  std::string token;
  bool only_loopback = true;
};

/// Never throws, and ends: 5 s for the request, 30 s for sending the answer, and what `answer`
/// takes.
void serve_connection(descriptor socket, connection_rules const& rules) noexcept;

/// Tells whoever has connected that there are too many, without waiting: what was sent is not read,
/// so the other end may see a reset connection instead.
void turn_away(descriptor socket) noexcept;

}  // namespace memprof::http
