// SPDX-License-Identifier: MIT
// A connection is kept for other requests, but never at the cost of other clients.
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "echo.hpp"
#include "http/server.hpp"
#include "support/catch2.hpp"
#include "unit/live/endpoints/asking.hpp"

using namespace memprof::http;
using namespace memprof::test;
using namespace std::chrono_literals;

namespace {

bool is_kept(std::string const& answer) {
  return has(answer, "\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n");
}

/// Which has been answered once, and says nothing since.
descriptor silent_client(std::string const& address) {
  descriptor s = connected_to(address);
  say(s, get_of("/first"));
  CHECK(is_kept(next_answer(s)));
  return s;
}

}  // namespace

TEST_CASE("server: answers over one connection, until its client says that it is the last") {
  echo e;
  const server s(listen_at("127.0.0.1:0", false), e.rules());
  const descriptor c = connected_to(s.address());
  for (int i = 0; i < 100; ++i) {
    const std::string target = '/' + std::to_string(i);
    say(c, i % 2 == 0 ? get_of(target)
                      : "POST " + target +
                            " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n12345");
    const std::string answer = next_answer(c);
    CHECK(is_kept(answer));
    CHECK(answer.ends_with("\r\n\r\nyou asked for " + target));
  }
  for (int i = 0; i < 2; ++i) {
    say(c, get_of("/large"));
    CHECK(next_answer(c).ends_with("\r\n\r\n" + large));
  }
  say(c, "GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: TE, Close\r\n\r\n");
  const std::string last = rest_of(c);
  CHECK(has(last, "\r\nConnection: close\r\n"));
  CHECK(last.ends_with("you asked for /last"));
}

TEST_CASE("server: keeps no connection in which it is unsure where the next request begins") {
  echo e;
  connection_rules rules = e.rules();
  rules.takes_bodies = false;
  const server s(listen_at("127.0.0.1:0", false), rules);
  for (std::string const& text : {
           get_of("/x") + get_of("/y"),  // before the first was answered
           std::string("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"),
           std::string("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
           std::string("GET /x HTTP/1.1\r\nHost: evil\r\n\r\n"),
           std::string("GET /x\r\n\r\n"),
       }) {
    INFO(text);
    const descriptor c = connected_to(s.address());
    say(c, text);
    const std::string answer = rest_of(c);  // it is closed
    CHECK(has(answer, "\r\nConnection: close\r\n"));
    CHECK(answer.find("HTTP/1.1 ") == answer.rfind("HTTP/1.1 "));
  }
  // A refusal says nothing of what was asked before: this is no HEAD.
  const descriptor c = connected_to(s.address());
  say(c, "HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  char head[4096];
  CHECK(recv(c.get(), head, sizeof head, 0) > 0);
  say(c, "GET /" + std::string(20'000, 'x'));
  CHECK(rest_of(c).ends_with("too long an address\n"));
}

TEST_CASE("server: of 64 silent connections the one that was silent for longest makes room") {
  echo e;
  const server s(listen_at("127.0.0.1:0", false), e.rules());
  const auto begin = std::chrono::steady_clock::now();
  std::vector<descriptor> silent;
  for (int i = 0; i < 64; ++i) silent.push_back(silent_client(s.address()));
  say(silent[0], get_of("/again"));
  CHECK(has(next_answer(silent[0]), "you asked for /again"));
  std::vector<descriptor> others;
  for (int i = 0; i < 10; ++i) others.push_back(silent_client(s.address()));
  CHECK(std::chrono::steady_clock::now() - begin < 4s);
  for (int i = 1; i <= 10; ++i) CHECK(rest_of(silent[i]).empty());
  for (const int i : {0, 11, 63}) {
    say(silent[i], get_of("/still"));
    CHECK(has(next_answer(silent[i]), "you asked for /still"));
  }
}

TEST_CASE("server: one that ends keeps no connection, and answers what was asked") {
  echo e;
  std::optional<server> s(std::in_place, listen_at("127.0.0.1:0", false), e.rules());
  const descriptor silent = silent_client(s->address());
  const descriptor begun = silent_client(s->address());
  say(begun, "GET /half");
  const descriptor asking = silent_client(s->address());
  {
    const std::scoped_lock hold(e.gate);
    say(asking, get_of("/wait"));
    wait_for(e.waiting, 1);
    const auto begin = std::chrono::steady_clock::now();
    s.reset();
    CHECK(rest_of(silent).empty());
    CHECK(rest_of(begun).empty());
    CHECK(std::chrono::steady_clock::now() - begin < 4s);
  }
  CHECK(rest_of(asking).ends_with("you asked for /wait"));
}
