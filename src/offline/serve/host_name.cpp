// SPDX-License-Identifier: MIT
// Which names a server answers to.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
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

bool is_address(std::string const& host) {
  std::array<unsigned char, 16> address{};
  return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

/// "name:80", "[::1]:80" without the port and the brackets; empty if it is neither.
std::string without_port(std::string_view header) {
  std::string_view name = header;
  std::string_view rest;
  if (header.starts_with('[')) {
    const std::size_t end = header.find(']');
    if (end == header.npos) return {};
    name = header.substr(1, end - 1);
    rest = header.substr(end + 1);
  } else if (const std::size_t colon = header.find(':'); colon != header.npos) {
    name = header.substr(0, colon);
    rest = header.substr(colon);
  }
  const bool is_port = rest.empty() || (rest[0] == ':' && rest.size() <= 6 &&
                                        std::all_of(rest.begin() + 1, rest.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; }));
  return is_port ? lower_case(name) : std::string{};
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
