// SPDX-License-Identifier: MIT
#include "memprof/serve/listen.hpp"

#include <arpa/inet.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "endpoints/listen_address.hpp"
#include "support/catch2.hpp"

using memprof::serve_on;
using memprof::endpoints::descriptor;

namespace {

descriptor connected_to(std::string const& address) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (address.starts_with("unix:")) {
    auto& where = reinterpret_cast<sockaddr_un&>(storage);
    where.sun_family = AF_UNIX;
    address.copy(where.sun_path, sizeof where.sun_path - 1, 5);
    size = sizeof where;
  } else {
    auto& where = reinterpret_cast<sockaddr_in&>(storage);
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int port = std::stoi(address.substr(address.rfind(':') + 1));
    where.sin_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof where;
  }
  descriptor s(socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(connect(s.get(), reinterpret_cast<sockaddr*>(&storage), size) == 0);
  return s;
}

void say(descriptor const& s, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = send(s.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string rest_of(descriptor const& s) {
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = recv(s.get(), part, sizeof part, 0)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
  }
  return text;
}

std::string ask(std::string const& address, std::string_view request) {
  const descriptor s = connected_to(address);
  say(s, request);
  return rest_of(s);
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

constexpr char get_metrics[] = "GET /metrics HTTP/1.1\r\nHost: localhost:1\r\n\r\n";

/// Whether a request for metrics is answered within this time, if it is sent again and again.
bool is_answered(std::string const& address, std::chrono::seconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until) {
    if (has(ask(address, get_metrics), "200 OK")) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace

TEST_CASE("listen: answers on a free port until it is destroyed") {
  std::string address;
  {
    const auto server = serve_on("127.0.0.1:0");
    address = server.address();
    CHECK(address.starts_with("127.0.0.1:"));
    CHECK(address != "127.0.0.1:0");
    const std::string answer = ask(address, get_metrics);
    CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(has(answer, "Content-Type: text/plain; version=0.0.4"));
    CHECK(has(answer, "\nmemprof_inuse_bytes "));
    CHECK(has(ask(address, "GET /metrics HTTP/1.0\nACCEPT:application/openmetrics-text\n\n"),
              "# EOF\n"));
    CHECK(has(ask(address, "POST /debug/pprof/symbol HTTP/1.1\r\nContent-Length: 3\r\n\r\n0x1"),
              "num_symbols: 1\n"));
    const std::string head = ask(address, "HEAD /metrics HTTP/1.1\r\n\r\n");
    CHECK(head.ends_with("\r\n\r\n"));
  }
  CHECK_NOTHROW(serve_on(address));  // the port is free again
}

TEST_CASE("listen: what is refused, in a sentence") {
  const auto server = serve_on("127.0.0.1:0");
  CHECK_THROWS_WITH(serve_on(server.address()),
                    "memprof::serve_on: " + server.address() + " is in use already");
  for (auto const* address : {"", "localhost", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                              "127.0.0.1:-1", "[::1:80", "example.org:80", "unix:"}) {
    INFO(address);
    CHECK_THROWS_AS(serve_on(address), std::invalid_argument);
  }
  CHECK_THROWS_WITH(serve_on("0.0.0.0:0"),
                    "memprof::serve_on: '0.0.0.0:0' is not of loopback, and needs a token");
}

TEST_CASE("listen: a unix socket, for this user alone") {
  const std::string path = "listen_test." + std::to_string(getpid()) + ".sock";
  {
    const auto server = serve_on("unix:" + path);
    const auto mode = std::filesystem::status(path).permissions();
    CHECK(mode == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CHECK(has(ask(server.address(), get_metrics), "200 OK"));
    CHECK_THROWS_WITH(
        serve_on("unix:" + path),
        "memprof::serve_on: " + path + " exists already; remove it if no program listens there");
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("listen: a token") {
  const auto server = serve_on("127.0.0.1:0", {.token = "secret"});
  CHECK(has(ask(server.address(), get_metrics), "HTTP/1.1 401 "));
  const auto with = [&](std::string const& token) {
    return ask(server.address(),
               "GET /metrics HTTP/1.1\r\nAuthorization: Bearer " + token + "\r\n\r\n");
  };
  CHECK(has(with("secret"), "200 OK"));
  for (auto const* wrong : {"", "secre", "secrets", "Secret", "secretsecret"}) {
    CHECK(has(with(wrong), "HTTP/1.1 401 "));
  }
}

TEST_CASE("listen: hostile requests are refused, and others answered meanwhile") {
  const auto server = serve_on("127.0.0.1:0");
  const std::string where = server.address();
  CHECK(has(ask(where, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"), " 403 "));
  CHECK(has(ask(where, "GET /metrics HTTP/1.1\r\nHost: 127.evil.example\r\n\r\n"), " 403 "));
  CHECK(has(ask(where, "GET /" + std::string(10'000, 'x') + " HTTP/1.1\r\n\r\n"), " 414 "));
  std::string many = "GET /metrics HTTP/1.1\r\n";
  for (int i = 0; i < 10'000; ++i) many += "x-" + std::to_string(i) + ": y\r\n";
  CHECK(has(ask(where, many + "\r\n"), " 431 "));
  for (auto const* text :
       {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / SPDY/1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "\x16\x03\x01\n\n"}) {
    CHECK(has(ask(where, text), " 400 "));
  }
  connected_to(where);  // and closed at once

  // Slow clients: seven that say nothing. One place is left, and is used, as soon as the requests
  // before have been forgotten.
  std::vector<descriptor> slow;
  for (int i = 0; i < 7; ++i) slow.push_back(connected_to(where));
  say(slow[0], "GET /metr");
  CHECK(is_answered(where, std::chrono::seconds(4)));
  // With that one taken, others are turned away until the slow ones are cut off, after 5 s. (They
  // may see the connection reset instead of the 503: nobody waits for what they send.)
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  for (int i = 0; i < 8; ++i) slow.push_back(connected_to(where));
  const auto begin = std::chrono::steady_clock::now();
  CHECK_FALSE(has(ask(where, get_metrics), "200 OK"));
  CHECK(rest_of(slow[0]).empty());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(is_answered(where, std::chrono::seconds(20)));
}
