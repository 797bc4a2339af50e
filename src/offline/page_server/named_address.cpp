// SPDX-License-Identifier: MIT
#include "page_server/named_address.hpp"

#include <memory>
#include <netdb.h>
#include <stdexcept>

namespace memprof::page_server {

std::string host_in_url(std::string const& host) {
  return host.find(':') != std::string::npos ? '[' + host + ']' : host;
}

http::listening_socket listen_at_name(std::string const& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (error != 0) {
    throw std::runtime_error("cannot listen on " + host + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  const std::string name = host_in_url(host) + ':' + std::to_string(port);
  for (addrinfo const* a = found;; a = a->ai_next) {
    try {
      return http::listen_at(*a->ai_addr, a->ai_addrlen, name);
    } catch (std::runtime_error const& e) {
      if (a->ai_next == nullptr) throw std::runtime_error(std::string("cannot serve: ") + e.what());
    }
  }
}

}  // namespace memprof::page_server
