// SPDX-License-Identifier: MIT
/// \file
/// The thread of the small server that waits for all of its connections.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <vector>

#include "http/connection.hpp"
#include "http/listen_address.hpp"

namespace memprof::http {

/// A connection, and whether a thread is answering it: then nobody else looks at it.
struct served_connection {
  explicit served_connection(descriptor socket) noexcept : is(std::move(socket)) {}

  connection is;
  std::atomic<bool> being_answered{false};
};

///  - `stop`: the owner's wish.
///  - `stopped`: nothing is accepted any more; notified.
///  - `answering`: requests that have a thread.
///  - `asking`: connections whose request has come.
struct server_state {
  server_state(listening_socket l, connection_rules r)
      : listening(std::move(l)),
        rules(std::move(r)),
        wake(descriptor::made_by([] { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); })) {}
  void wake_up() noexcept;

  listening_socket listening;
  connection_rules rules;
  descriptor wake;  ///< an eventfd: something here has changed
  std::atomic<bool> stop{false};
  std::atomic<bool> stopped{false};
  std::atomic<int> answering{0};
  std::mutex count;              ///< guards `asking`
  std::condition_variable none;  ///< there is none of these any more
  std::ptrdiff_t asking = 0;
};

class server_loop {
 public:
  explicit server_loop(std::shared_ptr<server_state> state);
  /// Until it was stopped and the last answer was sent.
  void run() noexcept;

 private:
  using clock = connection::clock;

  void turn(bool happened) noexcept;
  bool wait_for_events() noexcept;
  void accept_new() noexcept;
  bool drop_one(connection::phase p, clock::duration for_at_least) noexcept;
  void count_requests() noexcept;
  void start_answers() noexcept;
  void start_answer(std::shared_ptr<served_connection> const& c) noexcept;

  std::shared_ptr<server_state> state_;
  std::vector<std::shared_ptr<served_connection>> all_;  ///< the oldest first
  std::vector<pollfd> awaited_;                          ///< wake, listening, then as `all_`
  clock::time_point no_accept_before_{};                 ///< there is no room
};

}  // namespace memprof::http
