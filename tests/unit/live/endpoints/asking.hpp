// SPDX-License-Identifier: MIT
/// \file
/// A client of the small server, by hand.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

#include "answers.hpp"
#include "http/listen_address.hpp"
#include "support/catch2.hpp"

namespace memprof::test {

using memprof::http::descriptor;

inline descriptor connected_to(std::string const& address) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (address.starts_with("unix:")) {
    auto& where = reinterpret_cast<sockaddr_un&>(storage);
    where.sun_family = AF_UNIX;
    address.copy(where.sun_path, sizeof where.sun_path - 1, 5);
    size = sizeof where;
  } else {
    auto& where = reinterpret_cast<sockaddr_in&>(storage);
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int port = std::stoi(address.substr(address.rfind(':') + 1));
    where.sin_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof where;
  }
  descriptor s(socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(connect(s.get(), reinterpret_cast<sockaddr*>(&storage), size) == 0);
  return s;
}

inline void say(descriptor const& s, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = send(s.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

inline std::string rest_of(descriptor const& s) {
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = recv(s.get(), part, sizeof part, 0)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
  }
  return text;
}

/// What comes when the server knows that nothing else is asked.
inline std::string last_of(descriptor const& s) {
  shutdown(s.get(), SHUT_WR);
  return rest_of(s);
}

/// One answer, after which the connection may be kept; empty if it was closed before.
inline std::string next_answer(descriptor const& s) {
  std::string text;
  char part[4096];
  for (std::size_t whole = std::string::npos; text.size() < whole;) {
    const ssize_t n = recv(s.get(), part, sizeof part, 0);
    if (n <= 0) return {};
    text.append(part, static_cast<std::size_t>(n));
    const std::size_t head = text.find("\r\n\r\n");
    if (whole == std::string::npos && head != std::string::npos) {
      whole = head + 4 + std::stoul(text.substr(text.find("\r\nContent-Length: ") + 18));
    }
  }
  return text;
}

inline std::string ask(std::string const& address, std::string_view request) {
  const descriptor s = connected_to(address);
  say(s, request);
  return last_of(s);
}

inline constexpr char get_metrics[] = "GET /metrics HTTP/1.1\r\nHost: localhost:1\r\n\r\n";

}  // namespace memprof::test
