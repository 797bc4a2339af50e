// SPDX-License-Identifier: MIT
/// \file
/// What a header Host names. A page of others in a browser cannot choose it, wherever it lets its
/// own name point (DNS rebinding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memprof::http {

/// The host in "name", "name:80", "127.0.0.1:80", "[::1]:80": in lower case, without port and
/// brackets. nullopt: it is none of these (RFC 9110, 7.2; RFC 3986, 3.2.2). So are a user, a zone
/// of an IPv6 address, and what is in brackets and no such address.
[[nodiscard]] std::optional<std::string> host_named(std::string_view header);

/// Whether a server that listens at `own`, an address or a name, answers to this header Host: to
/// names of loopback and its own; where that is every address, to any, and this machine's name.
[[nodiscard]] bool is_host_of(std::string_view header, std::string_view own);

/// "localhost", or an address of loopback in its usual form: four numbers, or IPv6.
[[nodiscard]] bool is_loopback(std::string const& host);

/// "127.0.0.1", "::1".
[[nodiscard]] bool is_address(std::string const& host);

}  // namespace memprof::http
