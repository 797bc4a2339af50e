// SPDX-License-Identifier: MIT
#include "memprof/serve/listen.hpp"

#include <stdexcept>
#include <utility>

#include "memprof/serve/respond.hpp"

#include "answers/answers.hpp"
#include "http/http.hpp"

namespace memprof::inline v0::serve {
namespace {

http::listening_socket listen_for(std::string_view address, bool has_token) {
  const std::string name = "memprof::serve_on: ";
  try {
    return http::listen_at(address, has_token);
  } catch (std::invalid_argument const& e) {
    throw std::invalid_argument(name + e.what());
  } catch (std::runtime_error const& e) {
    throw std::runtime_error(name + e.what());
  }
}

}  // namespace

struct detail::listener_state {
  http::server running;
};

listener::listener(std::unique_ptr<detail::listener_state> state) noexcept
    : state_(std::move(state)) {}
listener::listener(listener&&) noexcept = default;
listener::~listener() = default;
listener& listener::operator=(listener&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

std::string listener::address() const { return state_ ? state_->running.address() : std::string(); }

listener start_listener(std::string_view address, listen_options options) {
  const bool has_token = !options.token.empty();
  return listener(std::unique_ptr<detail::listener_state>(new detail::listener_state{
      .running =
          http::server(listen_for(address, has_token),
                       {.answer = answers::served(&respond), .token = std::move(options.token)})}));
}

}  // namespace memprof::inline v0::serve
