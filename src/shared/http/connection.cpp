// SPDX-License-Identifier: MIT
#include "http/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>

#include "http/authorization.hpp"
#include "http/host_name.hpp"
#include "http/request_target.hpp"

namespace memprof::http {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds time_to_ask = 5s;
constexpr std::chrono::milliseconds time_to_send = 30s;  // each MiB
/// Then the others have their turn.
constexpr std::size_t most_sent_at_once = 1 << 20;
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

std::string head_of(response const& r, header_list const& more, bool is_kept) {
  std::string text = "HTTP/1.1 " + std::to_string(r.status) + ' ' + phrase_of(r.status) +
                     "\r\nContent-Type: " + r.content_type +
                     "\r\nContent-Length: " + std::to_string(r.body ? r.body->size() : 0) +
                     "\r\nConnection: ";
  text += is_kept
              ? "keep-alive\r\nKeep-Alive: timeout=" + std::to_string(time_to_ask.count()) + "\r\n"
              : "close\r\n";
  for (auto const* list : {&r.headers, &more}) {
    for (auto const& [name, value] : *list) text += name + ": " + value + "\r\n";
  }
  return text + "\r\n";
}

response refusal_without_token(connection_rules const& rules) {
  response r = rules.refusal(401, "a token is needed");
  r.headers.emplace_back("WWW-Authenticate", "Bearer");
  r.headers.emplace_back("WWW-Authenticate", "Basic realm=\"memprof\"");  // a browser asks
  return r;
}

bool is_for_us(request_head const& h, connection_rules const& rules) {
  if (!rules.own_name.empty()) return is_host_of(h.host, rules.own_name);
  // Of a request that names no host, in HTTP/1.0: no browser sends it.
  return !rules.only_loopback || (!h.has_host && h.host.empty()) || is_host_of(h.host, "localhost");
}

char const* reason_of(int refusal) {
  return refusal == 417 ? "only 100-continue is met" : "a malformed request";
}

bool would_wait() noexcept { return errno == EAGAIN || errno == EINTR; }

}  // namespace

connection::clock::time_point connection::until() const noexcept {
  switch (phase_) {
    case phase::reading:
      return since_ + time_to_ask;
    case phase::sending:
      return since_ + time_to_send * (1 + sent_ / (1 << 20));
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

void connection::take_no_more() noexcept {
  is_kept_ = false;
  if (phase_ == phase::reading) enter(phase::over);
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
    if (text_.empty()) since_ = clock::now();  // the request begins
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
    const bool is_line = std::min(text_.find('\n'), text_.size()) > longest_target;
    return refuse(is_line ? rules.refusal(414, "too long an address")
                          : rules.refusal(431, "too many headers"),
                  rules);
  }
  if (head_size_ == 0) return;
  head_text_ = text_.substr(0, head_size_);
  head_ = request_head::of(head_text_);
  // No host at all is malformed, too; where ours must be named, it is above all another one.
  const bool is_nameless = !head_.target.empty() && !head_.has_host && head_.host.empty();
  if (head_.refusal != 0 && (rules.own_name.empty() || !is_nameless)) {
    return refuse(rules.refusal(head_.refusal, reason_of(head_.refusal)), rules);
  }
  if (!rules.token.empty() && !is_right_token(head_.authorization, rules.token)) {
    return refuse(refusal_without_token(rules), rules);
  }
  if (!is_for_us(head_, rules)) {
    return refuse(rules.refusal(403, rules.own_name.empty() ? "only for localhost"
                                                            : "this server has another name"),
                  rules);
  }
  if (!rules.takes_bodies) {
    if (head_.awaits_consent) return refuse(rules.refusal(417, "no body is taken"), rules);
    is_kept_ &= head_.length == 0;
    head_.length = 0;
  }
  if (head_.awaits_consent && text_.size() < head_size_ + head_.length) {
    // All that was sent before has been taken, so there is room for a line: else it is not needed.
    constexpr std::string_view go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";
    static_cast<void>(!send(socket_.get(), go_ahead.data(), go_ahead.size(), MSG_NOSIGNAL));
  }
}

void connection::answer(connection_rules const& rules) {
  is_kept_ &= !head_.is_last && text_.size() == head_size_ + head_.length;
  reply(rules.answer({.method = head_.method,
                      .target = head_.target,
                      .accept = head_.accept,
                      .accept_encoding = head_.accept_encoding,
                      .body = std::string_view(text_).substr(head_size_, head_.length)}),
        rules);
}

void connection::turn_away(connection_rules const& rules) {
  response r = rules.refusal(503, "too many requests at once");
  r.headers.emplace_back("Retry-After", "1");
  refuse(r, rules);
}

void connection::refuse(response const& r, connection_rules const& rules) {
  is_kept_ = false;
  reply(r, rules);
}

void connection::reply(response const& r, connection_rules const& rules) {
  text_ = head_of(r, rules.headers, is_kept_);
  if (head_.method != "HEAD") body_ = r.body;
  enter(phase::sending);
}

void connection::send_some() noexcept {
  const std::string_view head = text_;
  const std::string_view body = body_ ? std::string_view(*body_) : std::string_view();
  const std::size_t until = std::min(head.size() + body.size(), sent_ + most_sent_at_once);
  while (sent_ < until) {
    const bool in_head = sent_ < head.size();
    const std::string_view rest = in_head ? head.substr(sent_) : body.substr(sent_ - head.size());
    const int more = in_head && !body.empty() ? MSG_MORE : 0;
    const ssize_t n = send(socket_.get(), rest.data(), std::min(rest.size(), most_sent_at_once),
                           MSG_NOSIGNAL | more);
    if (n < 0) return would_wait() ? void() : enter(phase::over);
    sent_ += static_cast<std::size_t>(n);
  }
  if (sent_ < head.size() + body.size()) return;
  body_.reset();
  sent_ = 0;
  if (!is_kept_) {
    shutdown(socket_.get(), SHUT_WR);
    return enter(phase::draining);
  }
  text_.clear();
  head_size_ = 0;
  head_ = {};
  enter(phase::reading);
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
