// SPDX-License-Identifier: MIT
// Which names a server answers to.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <limits.h>
#include <string>
#include <unistd.h>

#include "serve/http_server.hpp"

namespace memprof::serve {
namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool is_v6(std::string const& host) {
  std::array<unsigned char, 16> address{};
  return ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

bool is_address(std::string const& host) {
  std::array<unsigned char, 4> address{};
  return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 || is_v6(host);
}

/// Of "name:80": ":80", or nothing. An empty port is allowed by RFC 3986.
bool is_port(std::string_view rest) {
  if (rest.size() < 2) return rest.empty() || rest == ":";
  unsigned port = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), port);
  return rest[0] == ':' && error == std::errc{} && end == rest.data() + rest.size() &&
         port <= 65535;
}

/// "name:80", "[::1]:80" without the port and the brackets; empty if it is neither.
std::string without_port(std::string_view header) {
  const bool bracket = header.starts_with('[');
  const std::size_t end = bracket ? header.find(']') : std::min(header.find(':'), header.size());
  if (end == header.npos) return {};
  std::string name = lower_case(header.substr(bracket ? 1 : 0, bracket ? end - 1 : end));
  const bool good = is_port(header.substr(bracket ? end + 1 : end)) && (!bracket || is_v6(name));
  return good ? name : std::string{};
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && is_address(std::string(host)));
}

bool is_host_of(std::string_view header, std::string_view bound) {
  const std::string name = without_port(header);
  if (name.empty()) return false;
  if (name == "localhost" || name == "127.0.0.1" || name == "::1") return true;
  if (name == lower_case(bound)) return true;
  if (bound != "0.0.0.0" && bound != "::") return false;
  std::array<char, HOST_NAME_MAX + 1> own{};
  return is_address(name) ||
         (::gethostname(own.data(), own.size() - 1) == 0 && name == lower_case(own.data()));
}

}  // namespace memprof::serve
