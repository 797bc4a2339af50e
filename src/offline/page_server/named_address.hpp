// SPDX-License-Identifier: MIT
/// \file
/// An address of this machine, as a user names it.
#pragma once

#include <string>

#include "http/http.hpp"

namespace memprof::page_server {

/// "[::1]" of "::1": as it stands before a port.
[[nodiscard]] std::string host_in_url(std::string const& host);

/// Listens at `host`, an address or a name, and at `port`; 0: one that is free.
/// \throws std::runtime_error if the address cannot be had.
[[nodiscard]] http::listening_socket listen_at_name(std::string const& host, int port);

}  // namespace memprof::page_server
