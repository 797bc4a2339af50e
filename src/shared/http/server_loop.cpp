// SPDX-License-Identifier: MIT
#include "http/server_loop.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <iterator>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace memprof::http {
namespace {

using namespace std::chrono_literals;
using phase = connection::phase;

constexpr std::size_t most_connections = 64;
constexpr int most_answering = 8;
/// Answers that have not left yet: each may have some megabytes.
constexpr std::ptrdiff_t most_sending = 16;
/// So long a request waits for its turn.
constexpr std::chrono::milliseconds time_to_wait = 3s;
/// So long nobody is dropped for others who takes an answer slowly.
constexpr std::chrono::milliseconds least_time_to_send = 500ms;
/// How soon those who wait are looked at again.
constexpr std::chrono::milliseconds look_again = 50ms;

bool is_in(served_connection const& c, phase p) noexcept {
  return !c.being_answered.load(std::memory_order_acquire) && c.is.now() == p;
}

void go_on(served_connection& c, connection_rules const& rules) noexcept {
  try {
    c.is.go_on(rules);
  } catch (...) {  // no memory
    c.is.give_up();
  }
}

}  // namespace

void server_state::wake_up() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(!write(wake.get(), &one, sizeof one));
}

server_loop::server_loop(std::shared_ptr<server_state> state) : state_(std::move(state)) {
  all_.reserve(most_connections);
  awaited_.reserve(most_connections + 2);
}

void server_loop::run() noexcept {
  while (!state_->stopped.load(std::memory_order_relaxed) || !all_.empty()) {
    turn(wait_for_events());
    if (state_->stop.load(std::memory_order_acquire) && !state_->stopped.load()) {
      { const descriptor closed(std::move(state_->listening.socket)); }
      state_->stopped.store(true, std::memory_order_release);
      state_->stopped.notify_all();
      turn(false);
    }
  }
}

/// \param happened not only a deadline.
void server_loop::turn(bool happened) noexcept {
  const auto now = clock::now();
  for (std::size_t i = 0; i < all_.size(); ++i) {
    served_connection& c = *all_[i];
    if (c.being_answered.load(std::memory_order_acquire)) continue;
    if (state_->stopped.load(std::memory_order_relaxed)) c.is.take_no_more();
    if (c.is.now() == phase::asked) continue;
    // An answer that is ready since poll was asked is not in its list.
    if (!happened || awaited_[i + 2].fd < 0 || awaited_[i + 2].revents != 0) {
      go_on(c, state_->rules);
    }
    if (c.is.until() <= now) c.is.give_up();
  }
  if (happened && awaited_[0].revents != 0) {
    std::uint64_t changes = 0;
    static_cast<void>(!read(state_->wake.get(), &changes, sizeof changes));
  }
  if (happened && awaited_[1].revents != 0) accept_new();
  start_answers();
  std::erase_if(all_, [](auto const& c) { return is_in(*c, phase::over); });
  count_requests();
}

void server_loop::count_requests() noexcept {
  const auto reading =
      std::ranges::count_if(all_, [](auto const& c) { return is_in(*c, phase::reading); });
  const std::scoped_lock lock(state_->count);
  state_->asking = std::ssize(all_) - reading;
  if (state_->asking == 0) state_->none.notify_all();
}

/// Whether something happened.
bool server_loop::wait_for_events() noexcept {
  const auto now = clock::now();
  auto until = clock::time_point::max();
  const bool accepts = !state_->stopped.load(std::memory_order_relaxed);
  if (accepts && no_accept_before_ > now) until = no_accept_before_;
  awaited_.assign(
      {{state_->wake.get(), POLLIN, 0},
       {accepts && no_accept_before_ <= now ? state_->listening.socket.get() : -1, POLLIN, 0}});
  for (auto const& c : all_) {
    pollfd& p = awaited_.emplace_back(pollfd{-1, 0, 0});
    if (c->being_answered.load(std::memory_order_acquire)) continue;
    if (c->is.now() == phase::asked) {
      until = std::min(until, now + look_again);
      continue;
    }
    p.fd = c->is.socket();
    p.events = c->is.awaited();
    until = std::min(until, c->is.until());
  }
  int left = -1;
  if (until != clock::time_point::max()) {
    left = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until - now).count());
  }
  return poll(awaited_.data(), awaited_.size(), std::max(left, -1)) > 0;
}

void server_loop::accept_new() noexcept {
  const int listening = state_->listening.socket.get();
  for (int i = 0; i < 16; ++i) {  // then the others are looked at
    const bool is_full = all_.size() == most_connections;
    if (is_full && i > 0) return;  // nobody goes unless another one is known to wait
    // Those that have just been accepted may have asked: they are the last to go.
    if (is_full && !drop_one(phase::reading, 0ms) && !drop_one(phase::draining, 0ms) &&
        !drop_one(phase::sending, 0ms)) {
      no_accept_before_ = clock::now() + look_again;
      return;
    }
    descriptor s = descriptor::made_by(
        [&] { return accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); });
    if (s.get() < 0) {
      // It would be ready again at once.
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        no_accept_before_ = clock::now() + 100ms;
      }
      return;
    }
    const int on = 1;  // the end of an answer does not wait for an acknowledgement
    setsockopt(s.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // a unix socket needs none
    try {
      all_.push_back(std::make_shared<served_connection>(std::move(s)));
    } catch (...) {  // no memory: it is closed
      return;
    }
    go_on(*all_.back(), state_->rules);
  }
}

/// The oldest in this phase, if it is in it for so long. Whether there was one.
bool server_loop::drop_one(phase p, clock::duration for_at_least) noexcept {
  const auto oldest = std::ranges::min_element(all_, {}, [&](auto const& c) {
    return is_in(*c, p) ? c->is.since() : clock::time_point::max();
  });
  if (oldest == all_.end() || !is_in(**oldest, p)) return false;
  if (clock::now() - (*oldest)->is.since() < for_at_least) return false;
  all_.erase(oldest);
  return true;
}

void server_loop::start_answers() noexcept {
  const auto now = clock::now();
  auto sending =
      std::ranges::count_if(all_, [](auto const& c) { return is_in(*c, phase::sending); });
  for (std::size_t i = 0; i < all_.size(); ++i) {
    auto const c = all_[i];  // another one may be dropped
    if (!is_in(*c, phase::asked)) continue;
    if (sending >= most_sending && drop_one(phase::sending, least_time_to_send)) --sending;
    if (sending < most_sending && state_->answering.load() < most_answering) {
      start_answer(c);
    } else if (now - c->is.since() >= time_to_wait) {
      c->is.turn_away(state_->rules);
      go_on(*c, state_->rules);
    }
  }
}

void server_loop::start_answer(std::shared_ptr<served_connection> const& c) noexcept {
  c->being_answered.store(true, std::memory_order_relaxed);
  state_->answering.fetch_add(1);
  try {
    std::thread([state = state_, c]() noexcept {
      try {
        c->is.answer(state->rules);
      } catch (...) {
        c->is.give_up();
      }
      c->being_answered.store(false, std::memory_order_release);
      state->answering.fetch_sub(1);
      state->wake_up();
    }).detach();
  } catch (...) {  // no thread, or no memory
    c->is.give_up();
    c->being_answered.store(false, std::memory_order_relaxed);
    state_->answering.fetch_sub(1);
  }
}

}  // namespace memprof::http
