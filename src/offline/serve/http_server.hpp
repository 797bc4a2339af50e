// SPDX-License-Identifier: MIT
/// \file
/// HTTP, by a module of its own (serve/http) that is loaded when a server is made: what cpp-httplib
/// brings along (OpenSSL, brotli) would cost every command 5 ms at its start.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "serve/response.hpp"

namespace memprof::serve {

/// What a server is to do. Several threads call these at once.
///
///  - `is_own_host`: whether a request with this Host header is answered.
///  - `answer`: to GET and HEAD. If `gzip`, the body may be compressed.
struct http_handlers {
  std::function<bool(std::string_view host_header, std::string_view bound)> is_own_host;
  std::function<response(std::string const& path, bool gzip)> answer;
};

/// Answers GET and HEAD on one address.
///
/// A request must name this host: "localhost", a loopback address, the address that is listened on,
/// or, where that is all of them, any address or this machine's name. So no page from elsewhere can
/// ask in the name of a host of its own that it let point here (DNS rebinding). Other methods are
/// answered 405, request lines over 8 KiB 414. Ranges are not known: all of a body is sent.
class http_server {
 public:
  http_server() = default;
  virtual ~http_server() = default;
  http_server(http_server const&) = delete;
  http_server& operator=(http_server const&) = delete;

  /// \param port 0: one that is free.
  /// \return the port.
  /// \throws std::runtime_error if the address cannot be had.
  virtual int bind(std::string const& host, int port) = 0;
  /// Until stop() is called, by any thread, when it is running.
  virtual void run() = 0;
  [[nodiscard]] virtual bool running() const = 0;
  virtual void stop() = 0;
};

/// What the module has under the name `memprof_make_http_server`.
using http_server_maker = http_server*(http_handlers&& handlers);

/// Loads the module, libmemprof-http.so, from the folder of the program, or from where it is
/// installed. It stays loaded. Texts over 1 KiB are compressed if the client takes that; an index
/// would take seconds.
/// \throws std::runtime_error if it cannot be loaded, with the reason.
[[nodiscard]] std::unique_ptr<http_server> make_http_server(
    std::function<response(std::string_view path)> answer);

/// Whether a request with this Host header may be answered by a server that listens on `bound`.
[[nodiscard]] bool is_host_of(std::string_view header, std::string_view bound);
[[nodiscard]] bool is_loopback(std::string_view host);

}  // namespace memprof::serve
