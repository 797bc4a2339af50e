// SPDX-License-Identifier: MIT
/// \file
/// A trace on an HTTP port, looked at again while it grows.
#pragma once

#include <memory>
#include <string>

#include "page_server/served_trace.hpp"

namespace memprof::page_server {

///  - `host`: an address or a name of this machine; what is not loopback is open to the network.
///  - `port`: 0: one that is free.
///  - `sources`: read only where `host` is loopback: others than this machine's users get none.
struct server_options {
  std::string host = "127.0.0.1";
  int port = 0;
  source_options sources;
};

/// Threads of its own answer requests from the constructor to the destructor, which waits 2 s at
/// most for those that have come.
///
/// The file is looked at each second, or after three times as long as it took to read it; what a
/// program under `memprof record` allocates is in the file after 0.3 s.
class live_server {
 public:
  /// \param other the second trace of a diff, or null.
  /// \throws std::runtime_error if the address cannot be had.
  live_server(std::shared_ptr<served_trace> trace, std::shared_ptr<served_trace> other,
              server_options const& options);
  ~live_server();
  live_server(live_server const&) = delete;
  live_server& operator=(live_server const&) = delete;

  /// "http://127.0.0.1:41234/"
  [[nodiscard]] std::string const& url() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace memprof::page_server
