// SPDX-License-Identifier: MIT
/// \file
/// A small HTTP server for programs that have none.
///
///     auto const server = memprof::serve_on("127.0.0.1:0");
///     std::string where = server.address();  // "127.0.0.1:34567": a free port was chosen
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0 {
namespace serve {

namespace detail {
struct listener_state;
}

///  - `token`: if not empty, each request must have the header "Authorization: Bearer TOKEN", or
///    that of a browser that was given any user and the token as password.
struct listen_options {
  std::string token = {};
};

/// Answers until it is destroyed. Requests that are being answered then go on, and end by
/// themselves. In a forked child, destroying its copy leaves the parent's alone, and nothing of its
/// sockets is open: the parent can end and another process listen there while the child lives.
class MEMPROF_API listener {
 public:
  listener(listener&&) noexcept;
  listener& operator=(listener&& other) noexcept;
  ~listener();

  /// "127.0.0.1:34567", "[::1]:34567" or "unix:/run/evaluator.sock".
  [[nodiscard]] std::string address() const;

 private:
  friend listener start_listener(std::string_view, listen_options);
  explicit listener(std::unique_ptr<detail::listener_state> state) noexcept;

  std::unique_ptr<detail::listener_state> state_;
};

/// As serve_on.
[[nodiscard]] MEMPROF_API listener start_listener(std::string_view address, listen_options options);

}  // namespace serve

/// Answers what `serve::respond` answers, at an address of this machine, on threads of its own.
///
/// \param address "127.0.0.1:8080", "[::1]:8080", or "unix:/path" for a socket that only this user
///   can open. Port 0: a free one.
/// \param options an address that is not of loopback needs a token.
/// \throws std::invalid_argument for another address, or one that needs a token.
/// \throws std::runtime_error in one sentence, if the port is in use or the path exists. A socket
///   that this user's process left there when it was killed is replaced.
/// \note Threads: one that reads and sends, and one for each request that is being answered, at
///   most 8; they take no signals. A forked child has none of them.
/// \note Requests: one after another on each connection (HTTP/1.1), of which there are at most 64.
///   For another one the server drops the one that has been silent for longest, or takes its answer
///   slowly. A connection is closed after 5 s without a request; a request is cut off that takes
///   longer than 5 s or has more than 16 KiB of headers. At a loopback address requests that name
///   another host than loopback, or none, are refused (pages of others in a browser).
[[nodiscard]] inline serve::listener serve_on(std::string_view address,
                                              serve::listen_options options = {}) {
  return serve::start_listener(address, std::move(options));
}

}  // namespace memprof::inline v0
