// SPDX-License-Identifier: MIT
/// \file
/// A small HTTP server: a thread that accepts, reads and sends, and one for each request that is
/// being answered.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>

#include "http/connection.hpp"
#include "http/listen_address.hpp"

namespace memprof::http {

/// What its threads share; it outlives the server as long as one of them does.
struct server_state;

/// Answers until it is destroyed. Requests that have come are then answered still, no others. A
/// forked child has none of its sockets; destroying its copy leaves the parent's alone.
///
/// Slow and silent clients take no thread. There are at most 64 connections: for another one that
/// is dropped which has been without a whole request for longest, or who takes its answer slowly.
class server {
 public:
  /// Begins to answer. Its threads take no signals.
  ///
  /// \param rules `only_loopback` counts at a loopback address without a token alone.
  /// \throws std::system_error if there can be no thread.
  server(listening_socket listening, connection_rules rules);
  ~server();
  server(server const&) = delete;
  server& operator=(server const&) = delete;

  [[nodiscard]] std::string const& address() const noexcept;
  /// Accepts no more. Waits until no request is left that has come; for so long at most.
  void end(std::chrono::milliseconds patience) noexcept;

 private:
  void stop_accepting() noexcept;

  std::shared_ptr<server_state> state_;
  pid_t process_;
};

}  // namespace memprof::http
