// SPDX-License-Identifier: MIT
/// \file
/// Serving a trace until the user ends it: what `serve` and `record --serve` share.
#pragma once

#include <csignal>
#include <memory>
#include <string>
#include <string_view>

#include "page_server/page_server.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

///  - `host`, `port`: empty, 0: loopback, a free one.
struct serving_options {
  std::string host = "127.0.0.1";
  int port = 0;
  bool open = false;
  page_server::source_options sources;
};
/// --port, --host, --open, --no-sources, --substitute-path.
void add_serving_options(CLI::App& app, serving_options& options);

/// Begins to serve, and prints where to `out`, with a warning if other machines can reach it. With
/// --open a browser is started.
///
/// \throws std::runtime_error if the address is not available.
[[nodiscard]] std::unique_ptr<page_server::live_server> begin_serving(
    std::shared_ptr<page_server::served_trace> trace,
    std::shared_ptr<page_server::served_trace> other, serving_options const& options,
    void (*say)(std::string_view));

/// SIGINT, SIGTERM and SIGHUP as something to wait for. Create it before any thread begins. Once
/// one has come the next ends the process at once.
class end_signals {
 public:
  end_signals();
  ~end_signals();
  end_signals(end_signals const&) = delete;
  end_signals& operator=(end_signals const&) = delete;

  void wait();
  /// Whether one has come, without waiting. The next ends the process at once.
  [[nodiscard]] bool came() noexcept;

 private:
  void let_the_next_end_us() noexcept;

  sigset_t set_{}, before_{};
};

}  // namespace memprof::tools
