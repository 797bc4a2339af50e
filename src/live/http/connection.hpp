// SPDX-License-Identifier: MIT
/// \file
/// One connection of the small server: a request is read, answered, and the connection closed.
///
///     reading [-> asked] -> sending -> draining -> over
///
/// Only answering takes a thread. Nothing else here waits, so any number of slow clients can be
/// served by one thread, which asks the kernel when to go on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "memprof/serve/respond.hpp"

#include "http/descriptor.hpp"
#include "http/request_head.hpp"

namespace memprof::http {

/// Not the component of that name, which shows traces.
namespace serve = memprof::v0::serve;

///  - `answer`: called on a thread of its own; what it throws closes the connection.
///  - `token`: empty: none is asked for.
///  - `only_loopback`: refuse requests that name another host in their header Host.
struct connection_rules {
  std::function<serve::response(serve::request const&)> answer;
  std::string token;
  bool only_loopback = true;
};

class connection {
 public:
  using clock = std::chrono::steady_clock;
  enum class phase : std::uint8_t { reading, asked, sending, draining, over };

  /// \param socket does not block.
  explicit connection(descriptor socket) noexcept : socket_(std::move(socket)) {}

  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;

  [[nodiscard]] phase now() const noexcept { return phase_; }
  [[nodiscard]] int socket() const noexcept { return socket_.get(); }
  /// Since when it is in this phase.
  [[nodiscard]] clock::time_point since() const noexcept { return since_; }
  /// When it is over, whatever comes: 5 s for the request, 30 s for sending the answer.
  [[nodiscard]] clock::time_point until() const noexcept;
  /// What poll is asked for: POLLIN or POLLOUT.
  [[nodiscard]] short awaited() const noexcept;

  /// Reads or sends what there is. When all of a request was read: `asked`.
  /// \throws std::bad_alloc without memory.
  void go_on(connection_rules const& rules);
  /// In `asked`: answers the request. Nothing is sent yet.
  /// \note Throws what `answer` throws.
  void answer(connection_rules const& rules);
  /// Answers that it is to try again.
  void turn_away();
  void give_up() noexcept { enter(phase::over); }

 private:
  void enter(phase p) noexcept;
  void receive(connection_rules const& rules);
  void read_head(connection_rules const& rules);
  void send_some() noexcept;
  void drain() noexcept;
  void reply(serve::response const& r);

  descriptor socket_;
  phase phase_ = phase::reading;
  clock::time_point since_ = clock::now();
  std::string text_;           ///< what was read; then what is to be sent
  std::size_t head_size_ = 0;  ///< 0: not all of it was read
  std::size_t sent_ = 0;       ///< of what is to be sent; or, while draining, what was read
  request_head head_;          ///< of a copy, since `text_` grows
  std::string head_text_;
};

/// Serves one connection on this thread. Never throws, and ends.
void serve_connection(descriptor socket, connection_rules const& rules) noexcept;

}  // namespace memprof::http
