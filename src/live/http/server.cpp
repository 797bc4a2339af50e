// SPDX-License-Identifier: MIT
#include "http/server.hpp"

#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "http/server_loop.hpp"

namespace memprof::http {
namespace {

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

}  // namespace

server::server(listening_socket listening, connection_rules rules)
    : state_(std::make_shared<server_state>(std::move(listening), std::move(rules))),
      process_(getpid()) {
  if (state_->wake.get() < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  state_->rules.only_loopback &= state_->listening.loopback && state_->rules.token.empty();
  const no_signals none;
  std::thread([loop = server_loop(state_)]() mutable { loop.run(); }).detach();
}

std::string const& server::address() const noexcept { return state_->listening.name; }

void server::stop_accepting() noexcept {
  state_->stop.store(true, std::memory_order_release);
  state_->wake_up();
  state_->stopped.wait(false, std::memory_order_acquire);
}

void server::end(std::chrono::milliseconds patience) noexcept {
  stop_accepting();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (state_->open.load() > 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

server::~server() {
  if (getpid() != process_) return;  // a forked child does not have the threads
  stop_accepting();
  remove_socket_file(state_->listening);
}

}  // namespace memprof::http
