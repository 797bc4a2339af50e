// SPDX-License-Identifier: MIT
/// \file
/// A small HTTP server: a thread that accepts, and one for each connection.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>
#include <thread>

#include "http/connection.hpp"
#include "http/listen_address.hpp"

namespace memprof::http {

/// What connections share; it outlives the server as long as one of them does.
struct shared_rules;

/// Answers until it is destroyed. Requests that are being answered then go on. In a forked child,
/// destroying its copy leaves the parent's alone.
class server {
 public:
  /// Begins to answer. Its threads take no signals.
  ///
  /// rules       `only_loopback` counts at a loopback address without a token alone.
  /// throws      std::system_error if there can be no thread.
  server(listening_socket listening, connection_rules rules);
  ~server();
  server(server const&) = delete;
  server& operator=(server const&) = delete;

  [[nodiscard]] std::string const& address() const noexcept { return listening_.name; }
  /// Accepts no more. Waits until no connection is left; for so long at most.
  void end(std::chrono::milliseconds patience) noexcept;

 private:
  void accept_all() const;
  void stop_accepting() noexcept;

  listening_socket listening_;
  std::shared_ptr<shared_rules> shared_;
  descriptor stop_;  ///< an eventfd: readable when the thread is to end
  std::thread accepting_;
  pid_t process_;
};

}  // namespace memprof::http
