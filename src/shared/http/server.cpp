// SPDX-License-Identifier: MIT
#include "http/server.hpp"

#include <cerrno>
#include <mutex>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "http/no_signals.hpp"
#include "http/server_loop.hpp"

namespace memprof::http {

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
  std::unique_lock lock(state_->count);
  state_->none.wait_for(lock, patience, [&] { return state_->asking == 0; });
}

server::~server() {
  if (getpid() != process_) return;  // a forked child does not have the threads
  stop_accepting();
  remove_socket_file(state_->listening);
}

}  // namespace memprof::http
