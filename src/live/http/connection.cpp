// SPDX-License-Identifier: MIT
#include "http/connection.hpp"

#include <cerrno>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>

#include "http/authorization.hpp"
#include "http/host_name.hpp"
#include "http/text_response.hpp"

namespace memprof::http {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds time_to_ask = 5s;
constexpr std::chrono::milliseconds time_to_send = 30s;
/// What the other end still sends is read so long: closed before, it might not see the answer.
constexpr std::chrono::milliseconds time_to_drain = 500ms;
constexpr std::size_t most_drained = 1 << 20;

char const* phrase_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 301:
      return "Moved Permanently";
    case 503:
      return "Service Unavailable";
    default:
      return "Refused";
  }
}

std::string as_text(serve::response const& r, bool with_body) {
  std::string text = "HTTP/1.1 " + std::to_string(r.status) + ' ' + phrase_of(r.status) +
                     "\r\nContent-Type: " + r.content_type +
                     "\r\nContent-Length: " + std::to_string(r.body.size()) +
                     "\r\nConnection: close\r\n";
  for (auto const& [name, value] : r.headers) text += name + ": " + value + "\r\n";
  text += "\r\n";
  return with_body ? text + r.body : text;
}

serve::response refusal_without_token() {
  serve::response r = text_response(401, "a token is needed");
  r.headers.emplace_back("WWW-Authenticate", "Bearer");
  r.headers.emplace_back("WWW-Authenticate", "Basic realm=\"memprof\"");  // a browser asks
  return r;
}

/// Of a request that names no host, in HTTP/1.0: no browser sends it.
bool names_loopback(request_head const& h) {
  if (!h.has_host && h.host.empty()) return true;
  const auto host = host_named(h.host);
  return host && is_loopback(*host);
}

bool would_wait() noexcept { return errno == EAGAIN || errno == EINTR; }

}  // namespace

connection::clock::time_point connection::until() const noexcept {
  switch (phase_) {
    case phase::reading:
      return since_ + time_to_ask;
    case phase::sending:
      return since_ + time_to_send;
    case phase::draining:
      return since_ + time_to_drain;
    default:
      return clock::time_point::max();
  }
}

short connection::awaited() const noexcept { return phase_ == phase::sending ? POLLOUT : POLLIN; }

void connection::enter(phase p) noexcept {
  phase_ = p;
  since_ = clock::now();
}

void connection::go_on(connection_rules const& rules) {
  if (phase_ == phase::reading) receive(rules);
  if (phase_ == phase::sending) send_some();
  if (phase_ == phase::draining) drain();
}

void connection::receive(connection_rules const& rules) {
  char part[4096];
  while (phase_ == phase::reading) {
    const ssize_t n = recv(socket_.get(), part, sizeof part, 0);
    if (n <= 0) return n < 0 && would_wait() ? void() : enter(phase::over);
    text_.append(part, static_cast<std::size_t>(n));
    if (head_size_ == 0) read_head(rules);
    if (phase_ == phase::reading && head_size_ != 0 && text_.size() >= head_size_ + head_.length) {
      enter(phase::asked);
    }
  }
}

void connection::read_head(connection_rules const& rules) {
  head_size_ = end_of_head(text_);
  if (head_size_ == 0 ? text_.size() > longest_head : head_size_ > longest_head) {
    return reply(text_response(431, "too many headers"));
  }
  if (head_size_ == 0) return;
  head_text_ = text_.substr(0, head_size_);
  head_ = request_head::of(head_text_);
  if (head_.refusal != 0) {
    return reply(text_response(
        head_.refusal, head_.refusal == 417 ? "only 100-continue is met" : "a malformed request"));
  }
  if (!rules.token.empty() && !is_right_token(head_.authorization, rules.token)) {
    return reply(refusal_without_token());
  }
  if (rules.only_loopback && !names_loopback(head_)) {
    return reply(text_response(403, "only for localhost"));
  }
  if (head_.awaits_consent && text_.size() < head_size_ + head_.length) {
    // A new connection has room for a line: what does not fit is not needed.
    constexpr std::string_view go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";
    static_cast<void>(!send(socket_.get(), go_ahead.data(), go_ahead.size(), MSG_NOSIGNAL));
  }
}

void connection::answer(connection_rules const& rules) {
  reply(rules.answer({.method = head_.method,
                      .target = head_.target,
                      .accept = head_.accept,
                      .body = std::string_view(text_).substr(head_size_, head_.length)}));
}

void connection::turn_away() { reply(busy_response("too many requests at once")); }

void connection::reply(serve::response const& r) {
  text_ = as_text(r, head_.method != "HEAD");
  enter(phase::sending);
}

void connection::send_some() noexcept {
  while (sent_ < text_.size()) {
    const ssize_t n = send(socket_.get(), text_.data() + sent_, text_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0) return would_wait() ? void() : enter(phase::over);
    sent_ += static_cast<std::size_t>(n);
  }
  shutdown(socket_.get(), SHUT_WR);
  sent_ = 0;
  enter(phase::draining);
}

void connection::drain() noexcept {
  char part[4096];
  ssize_t n;
  while ((n = recv(socket_.get(), part, sizeof part, 0)) > 0) {
    sent_ += static_cast<std::size_t>(n);
    if (sent_ > most_drained) return enter(phase::over);
  }
  if (n == 0 || !would_wait()) enter(phase::over);
}

void serve_connection(descriptor socket, connection_rules const& rules) noexcept {
  try {
    connection c(std::move(socket));
    while (c.now() != connection::phase::over) {
      if (c.now() == connection::phase::asked) c.answer(rules);
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(c.until() - connection::clock::now());
      pollfd p{.fd = c.socket(), .events = c.awaited(), .revents = 0};
      const int ready = left.count() > 0 ? poll(&p, 1, static_cast<int>(left.count())) : 0;
      if (ready == 0) return;
      if (ready > 0) c.go_on(rules);
    }
  } catch (...) {
    // No memory: the connection is closed.
  }
}

}  // namespace memprof::http
