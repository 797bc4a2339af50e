// SPDX-License-Identifier: MIT
#include "http/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>

#include "http/authorization.hpp"
#include "http/request_target.hpp"
#include "http/text_response.hpp"

namespace memprof::http {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::seconds time_to_ask{5};
constexpr std::chrono::seconds time_to_send{30};
constexpr std::size_t longest_head = 16 * 1024;

/// False: the time is over.
bool wait_for(int socket, short event, clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    if (left <= 0) return false;
    pollfd p{.fd = socket, .events = event, .revents = 0};
    const int ready = poll(&p, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// Reads until `enough`; false if the other end closes, or needs too long.
template <class Enough>
bool read_until(int socket, std::string& text, clock::time_point until, Enough enough) {
  char part[4096];
  while (!enough()) {
    if (!wait_for(socket, POLLIN, until)) return false;
    const ssize_t n = recv(socket, part, sizeof part, 0);
    if (n > 0) {
      text.append(part, static_cast<std::size_t>(n));
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
      return false;
    }
  }
  return true;
}

void send_all(int socket, std::string_view text) {
  const auto until = clock::now() + time_to_send;
  while (!text.empty() && wait_for(socket, POLLOUT, until)) {
    const ssize_t n = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (n > 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EAGAIN && errno != EINTR) {
      return;
    }
  }
}

std::string_view next_line(std::string_view& head) {
  const std::size_t end = head.find('\n');
  std::string_view line = head.substr(0, end);
  head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// `name` in lower case.
bool is_named(std::string_view text, std::string_view name) {
  return std::ranges::equal(
      text, name, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

/// The headers that matter here.
struct request_head {
  std::string_view method, target, accept, host, authorization;
  std::uint32_t length = 0;

  /// nullopt: malformed.
  static std::optional<request_head> of(std::string_view text) {
    request_head h;
    std::string_view line = next_line(text);
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return std::nullopt;
    if (!line.substr(last + 1).starts_with("HTTP/1.")) return std::nullopt;
    h.method = line.substr(0, first);
    h.target = line.substr(first + 1, last - first - 1);
    bool has_host = false;
    while (!text.empty() && !(line = next_line(text)).empty()) {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) return std::nullopt;
      const std::string_view name = line.substr(0, colon);
      if (name.ends_with(' ')) return std::nullopt;
      std::string_view value = line.substr(colon + 1);
      value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
      if (is_named(name, "accept")) h.accept = value;
      if (is_named(name, "host")) {
        if (has_host) return std::nullopt;
        has_host = true;
        h.host = value;
      }
      if (is_named(name, "authorization")) h.authorization = value;
      if (is_named(name, "transfer-encoding")) return std::nullopt;
      if (is_named(name, "content-length")) {
        const auto length = natural_number(value, longest_body);
        if (!length) return std::nullopt;
        h.length = *length;
      }
    }
    return h;
  }
};

bool names_loopback(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  host = host.substr(0, end);
  if (host.empty() || host == "localhost" || host == "[::1]") return true;
  return host.starts_with("127.") &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

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

serve::response answer(request_head const& h, std::string_view body,
                       connection_rules const& rules) {
  if (!rules.token.empty() && !is_right_token(h.authorization, rules.token)) {
    serve::response r = text_response(401, "a token is needed");
    r.headers.emplace_back("WWW-Authenticate", "Bearer");
    r.headers.emplace_back("WWW-Authenticate", "Basic realm=\"memprof\"");  // a browser asks
    return r;
  }
  if (rules.only_loopback && !names_loopback(h.host)) {
    return text_response(403, "only for localhost");
  }
  return rules.answer({.method = h.method, .target = h.target, .accept = h.accept, .body = body});
}

/// Reads what the other end still sends, for a while: closed before, it might not see the answer.
void drain(int socket) {
  constexpr std::size_t most = 1 << 20;
  const auto until = clock::now() + std::chrono::milliseconds(500);
  std::string part;
  std::size_t all = 0;
  static_cast<void>(read_until(socket, part, until, [&] {
    all += part.size();
    part.clear();
    return all > most;
  }));
}

void serve_one(int socket, connection_rules const& rules) {
  const auto until = clock::now() + time_to_ask;
  std::string text;
  std::size_t end = 0;
  const auto has_head = [&] {
    for (std::string_view const mark : {"\r\n\r\n", "\n\n"}) {
      const std::size_t at = text.find(mark);
      if (at != std::string::npos) end = at + mark.size();
    }
    return end > 0 || text.size() > longest_head;
  };
  if (!read_until(socket, text, until, has_head)) return;
  if (end == 0 || end > longest_head) {
    return send_all(socket, as_text(text_response(431, "too many headers"), true));
  }
  const std::string head_text = text.substr(0, end);
  const auto head = request_head::of(head_text);
  if (!head) return send_all(socket, as_text(text_response(400, "a malformed request"), true));
  if (!read_until(socket, text, until, [&] { return text.size() >= end + head->length; })) return;
  const serve::response r = answer(*head, std::string_view(text).substr(end, head->length), rules);
  send_all(socket, as_text(r, head->method != "HEAD"));
}

}  // namespace

void serve_connection(descriptor socket, connection_rules const& rules) noexcept {
  try {
    serve_one(socket.get(), rules);
    shutdown(socket.get(), SHUT_WR);
    drain(socket.get());
  } catch (...) {
    // No memory: the connection is closed.
  }
}

void turn_away(descriptor socket) noexcept {
  constexpr std::string_view text =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n"
      "Retry-After: 1\r\n\r\n";
  static_cast<void>(send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace memprof::http
