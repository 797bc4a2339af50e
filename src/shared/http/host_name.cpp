// SPDX-License-Identifier: MIT
#include "http/host_name.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <climits>
#include <netinet/in.h>
#include <unistd.h>

#include "http/request_target.hpp"

namespace memprof::http {
namespace {

bool is_v6(std::string const& host, in6_addr& address) {
  return host.size() < INET6_ADDRSTRLEN && inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_v4(std::string const& host, in_addr& address) {
  return host.size() < INET_ADDRSTRLEN && inet_pton(AF_INET, host.c_str(), &address) == 1;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Of names that are host names; others need no answer here.
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

}  // namespace

std::optional<std::string> host_named(std::string_view header) {
  const bool bracket = header.starts_with('[');
  const std::size_t end = bracket ? header.find(']') : std::min(header.find(':'), header.size());
  if (end == std::string_view::npos) return std::nullopt;
  std::string host = lower_case(header.substr(bracket ? 1 : 0, bracket ? end - 1 : end));
  const std::string_view port = header.substr(bracket ? end + 1 : end);
  // An empty port is allowed by RFC 3986.
  if (!port.empty() &&
      (port.front() != ':' || (port.size() > 1 && !natural_number(port.substr(1), 65535)))) {
    return std::nullopt;
  }
  in6_addr address{};
  const bool good = bracket ? is_v6(host, address)
                            : !host.empty() && std::ranges::all_of(host, is_name_character);
  if (!good || host.find('\0') != std::string::npos) return std::nullopt;
  return host;
}

bool is_host_of(std::string_view header, std::string_view own) {
  const auto host = host_named(header);
  if (!host) return false;
  if (is_loopback(*host) || *host == lower_case(own)) return true;
  if (own != "0.0.0.0" && own != "::") return false;
  std::array<char, HOST_NAME_MAX + 1> machine{};
  return is_address(*host) || (gethostname(machine.data(), machine.size() - 1) == 0 &&
                               *host == lower_case(machine.data()));
}

bool is_loopback(std::string const& host) {
  in_addr v4{};
  in6_addr v6{};
  return host == "localhost" || (is_v4(host, v4) && ntohl(v4.s_addr) >> 24 == 127) ||
         (is_v6(host, v6) && IN6_IS_ADDR_LOOPBACK(&v6));
}

bool is_address(std::string const& host) {
  in_addr v4{};
  in6_addr v6{};
  return is_v4(host, v4) || is_v6(host, v6);
}

}  // namespace memprof::http
