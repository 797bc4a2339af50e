// SPDX-License-Identifier: MIT
/// \file
/// HTTP: the one file that knows of cpp-httplib.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/request.hpp"

namespace memprof::serve {

/// Answers GET and HEAD on one address by a function, which several threads call at once.
///
/// A request must name this host: "localhost", a loopback address, the address that is listened on,
/// or, where that is all of them, any address or this machine's name. So no page from elsewhere can
/// ask in the name of a host of its own that it let point here (DNS rebinding). Other methods are
/// answered 405, request lines over 8 KiB 414. Bodies are compressed (gzip) if asked for.
class http_server {
 public:
  using answer = std::function<response(request const&)>;

  explicit http_server(answer to);
  ~http_server();
  http_server(http_server const&) = delete;
  http_server& operator=(http_server const&) = delete;

  /// port        0: one that is free.
  /// returns     the port.
  /// throws      std::runtime_error if the address cannot be had.
  int bind(std::string const& host, int port);
  /// Until stop() is called, by any thread, when it is running.
  void run();
  [[nodiscard]] bool running() const;
  void stop();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Whether a request with this Host header may be answered by a server that listens on `bound`.
[[nodiscard]] bool is_host_of(std::string_view header, std::string_view bound);
[[nodiscard]] bool is_loopback(std::string_view host);

}  // namespace memprof::serve
