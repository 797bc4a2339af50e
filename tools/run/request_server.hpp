// SPDX-License-Identifier: MIT
/// \file
/// Answers requests for the memory of a program under `memprof run`, from outside of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/run/limit_watch.hpp"

namespace memprof::tools {

class request_server {
 public:
  /// Takes the address, so that no program is run where that is taken.
  ///
  /// \param token_file its first line is the token that requests need; empty: none.
  /// \throws usage_error for an address that may not be, and a file without token.
  /// \throws std::runtime_error for an address in use.
  request_server(std::string const& address, std::string const& token_file);
  /// Waits for requests that are being answered, 2 s at most. Before: the end of `watch.jobs()`.
  ~request_server();
  request_server(request_server const&) = delete;
  request_server& operator=(request_server const&) = delete;

  /// After the fork, since it starts a thread.
  /// \return where it listens: "http://127.0.0.1:34567", "unix:/run/socket".
  std::string begin(limit_watch& watch, std::vector<std::string> const& program);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace memprof::tools
