// SPDX-License-Identifier: MIT
#include "memprof/serve/listen.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "endpoints/connection.hpp"
#include "endpoints/listen_address.hpp"

namespace memprof::endpoints {

/// What connections share; it outlives the listener as long as one of them does.
struct shared_rules {
  connection_rules rules;
  std::atomic<int> connections{0};
};

namespace {

constexpr int most_connections = 8;

/// Threads that are started while this lives take no signals.
class no_signals {
 public:
  no_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~no_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  no_signals(no_signals const&) = delete;
  no_signals& operator=(no_signals const&) = delete;

 private:
  sigset_t before_;
};

/// On a thread of its own. A request may wait for its `seconds`, so nobody waits for the thread.
void start_connection(descriptor socket, std::shared_ptr<shared_rules> const& shared) {
  if (shared->connections.fetch_add(1) >= most_connections) {
    shared->connections.fetch_sub(1);
    return turn_away(std::move(socket));
  }
  try {
    std::thread([shared, s = std::move(socket)]() mutable {
      serve_connection(std::move(s), shared->rules);
      shared->connections.fetch_sub(1);
    }).detach();
  } catch (...) {  // no thread, or no memory
    shared->connections.fetch_sub(1);
  }
}

}  // namespace
}  // namespace memprof::endpoints

namespace memprof::inline v0::serve {

struct detail::listener_state {
  endpoints::listening_socket listening;
  std::shared_ptr<endpoints::shared_rules> shared;
  endpoints::descriptor stop;  ///< an eventfd: readable when the thread is to end
  std::thread accepting;
  pid_t process = getpid();

  void accept_all() const {
    pollfd wanted[2] = {{listening.socket.get(), POLLIN, 0}, {stop.get(), POLLIN, 0}};
    for (;;) {
      if (poll(wanted, 2, -1) < 0 && errno != EINTR) return;
      if (wanted[1].revents != 0) return;
      if (wanted[0].revents == 0) continue;
      endpoints::descriptor s(
          accept4(listening.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (s.get() >= 0) {
        endpoints::start_connection(std::move(s), shared);
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        poll(wanted + 1, 1, 100);  // it would be ready again at once
      }
    }
  }

  ~listener_state() {
    if (getpid() != process) {  // a forked child does not have the thread
      if (accepting.joinable()) accepting.detach();
      return;
    }
    if (accepting.joinable()) {
      const std::uint64_t one = 1;
      static_cast<void>(!write(stop.get(), &one, sizeof one));
      accepting.join();
    }
    if (!listening.path.empty()) unlink(listening.path.c_str());
  }
};

listener::listener(std::unique_ptr<detail::listener_state> state) noexcept
    : state_(std::move(state)) {}
listener::listener(listener&&) noexcept = default;
listener::~listener() = default;
listener& listener::operator=(listener&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

std::string listener::address() const { return state_ ? state_->listening.name : std::string(); }

listener start_listener(std::string_view address, listen_options options) {
  const bool has_token = !options.token.empty();
  auto shared = std::make_shared<endpoints::shared_rules>();
  shared->rules.token = std::move(options.token);
  endpoints::listening_socket listening = endpoints::listen_at(address, has_token);
  shared->rules.only_loopback = listening.loopback && !has_token;
  auto state = std::unique_ptr<detail::listener_state>(
      new detail::listener_state{.listening = std::move(listening),
                                 .shared = std::move(shared),
                                 .stop = endpoints::descriptor(eventfd(0, EFD_CLOEXEC)),
                                 .accepting = {}});
  if (state->stop.get() < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  const endpoints::no_signals none;
  state->accepting = std::thread([s = state.get()] { s->accept_all(); });
  return listener(std::move(state));
}

}  // namespace memprof::inline v0::serve
