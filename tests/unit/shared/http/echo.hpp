// SPDX-License-Identifier: MIT
/// \file
/// What the small server answers in its tests.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "http/server.hpp"

namespace memprof::test {

inline std::string const large(std::size_t{24} << 20, 'x');

/// Answers with the target, or with much at /large, or waits at /wait until it is let go.
struct echo {
  std::mutex gate;
  std::atomic<int> waiting{0};

  [[nodiscard]] http::connection_rules rules() {
    http::connection_rules r;
    r.answer = [this](http::request const& asked) {
      if (asked.target == "/throw") throw std::runtime_error("no answer");
      if (asked.target == "/wait") {
        ++waiting;
        const std::scoped_lock until_let_go(gate);
        --waiting;
      }
      http::response to{.content_type = "text/plain", .body = {}, .headers = {}};
      to.set_body(asked.target == "/large" ? large : "you asked for " + std::string(asked.target));
      return to;
    };
    return r;
  }
};

inline std::string get_of(std::string const& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

inline void wait_for(std::atomic<int> const& value, int wanted) {
  while (value != wanted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace memprof::test
