// SPDX-License-Identifier: MIT
/// \file
/// One connection of the small server: requests are read and answered, one after another.
///
///     reading [-> asked] -> sending -> reading, or draining -> over
///
/// It is kept for another request if the client speaks HTTP/1.1, has not said "Connection: close",
/// was not refused, and has sent nothing that was not read: no body that is not taken, and no
/// second request before the answer to the first (such clients ask again).
///
/// Only answering takes a thread. Nothing else here waits, so any number of slow clients can be
/// served by one thread, which asks the kernel when to go on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/descriptor.hpp"
#include "http/exchange.hpp"
#include "http/request_head.hpp"

namespace memprof::http {

///  - `answer`: called on a thread of its own; what it throws closes the connection.
///  - `refusal`: of what is no request, or comes from the wrong end: a status, and why.
///  - `token`: empty: none is asked for.
///  - `only_loopback`: refuse requests that name a host not of loopback in their header Host.
///  - `own_name`: not empty: refuse requests that do not name this host (is_host_of), or none.
///  - `takes_bodies`: false: bodies are not read, and a client that asks before it sends one
///    (`Expect: 100-continue`) gets 417.
///  - `headers`: of every answer.
struct connection_rules {
  std::function<response(request const&)> answer;
  std::function<response(int status, std::string_view why)> refusal = &text_refusal;
  std::string token = {};
  bool only_loopback = true;
  std::string own_name = {};
  bool takes_bodies = true;
  header_list headers = {};
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
  /// When it is over, whatever comes: after 5 s without a request, 5 s for all of one, 30 s for
  /// sending each MiB of the answer.
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
  void turn_away(connection_rules const& rules);
  /// The answer that was begun is the last one; without one, it is over.
  void take_no_more() noexcept;
  void give_up() noexcept { enter(phase::over); }

 private:
  void enter(phase p) noexcept;
  void receive(connection_rules const& rules);
  void read_head(connection_rules const& rules);
  void send_some() noexcept;
  void drain() noexcept;
  void refuse(response const& r, connection_rules const& rules);
  void reply(response const& r, connection_rules const& rules);

  descriptor socket_;
  phase phase_ = phase::reading;
  clock::time_point since_ = clock::now();
  bool is_kept_ = true;                      ///< another request may follow
  std::string text_;                         ///< what was read; then the head of what is to be sent
  std::shared_ptr<std::string const> body_;  ///< of what is to be sent, or null
  std::size_t head_size_ = 0;                ///< 0: not all of it was read
  std::size_t sent_ = 0;  ///< of what is to be sent; or, while draining, what was read
  request_head head_;     ///< of a copy, since `text_` grows
  std::string head_text_;
};

/// Serves one connection on this thread. Never throws, and ends.
void serve_connection(descriptor socket, connection_rules const& rules) noexcept;

}  // namespace memprof::http
