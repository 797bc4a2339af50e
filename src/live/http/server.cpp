// SPDX-License-Identifier: MIT
#include "http/server.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memprof::http {

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

server::server(listening_socket listening, connection_rules rules)
    : listening_(std::move(listening)),
      shared_(std::make_shared<shared_rules>()),
      stop_(eventfd(0, EFD_CLOEXEC)),
      process_(getpid()) {
  if (stop_.get() < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  shared_->rules = std::move(rules);
  shared_->rules.only_loopback &= listening_.loopback && shared_->rules.token.empty();
  const no_signals none;
  accepting_ = std::thread([this] { accept_all(); });
}

void server::accept_all() const {
  pollfd wanted[2] = {{listening_.socket.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
  for (;;) {
    if (poll(wanted, 2, -1) < 0 && errno != EINTR) return;
    if (wanted[1].revents != 0) return;
    if (wanted[0].revents == 0) continue;
    descriptor s(accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (s.get() >= 0) {
      start_connection(std::move(s), shared_);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      poll(wanted + 1, 1, 100);  // it would be ready again at once
    }
  }
}

void server::stop_accepting() noexcept {
  if (!accepting_.joinable()) return;
  const std::uint64_t one = 1;
  static_cast<void>(!write(stop_.get(), &one, sizeof one));
  accepting_.join();
}

void server::end(std::chrono::milliseconds patience) noexcept {
  stop_accepting();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (shared_->connections.load() > 0 && std::chrono::steady_clock::now() < until) {
    poll(nullptr, 0, 1);
  }
}

server::~server() {
  if (getpid() != process_) {  // a forked child does not have the thread
    if (accepting_.joinable()) accepting_.detach();
    return;
  }
  stop_accepting();
  if (!listening_.path.empty()) unlink(listening_.path.c_str());
}

}  // namespace memprof::http
