// SPDX-License-Identifier: MIT
#include "http/server.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "echo.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "unit/live/endpoints/asking.hpp"

using namespace memprof::http;
using namespace memprof::test;
using namespace std::chrono_literals;

namespace {

int number_of_threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("server: answers until it is destroyed, and its address is free then") {
  echo e;
  std::string address;
  {
    const server s(listen_at("127.0.0.1:0", false), e.rules());
    address = s.address();
    for (int i = 0; i < 20; ++i) {
      const std::string target = "/" + std::to_string(i);
      CHECK(ask(address, get_of(target)).ends_with("\r\n\r\nyou asked for " + target));
    }
    CHECK(ask(address, get_of("/throw")).empty());
    CHECK(has(ask(address, get_of("/after")), "you asked for /after"));
  }
  CHECK_NOTHROW(server(listen_at(address, false), e.rules()));
}

TEST_CASE("server: eight at a time, the ninth is turned away") {
  echo e;
  server s(listen_at("127.0.0.1:0", false), e.rules());
  std::vector<std::string> answers(8);
  {
    std::vector<std::jthread> clients;
    const std::scoped_lock hold(e.gate);
    for (std::string& a : answers) {
      clients.emplace_back([&] { a = ask(s.address(), get_of("/wait")); });
    }
    wait_for(e.waiting, 8);
    // It may be closed before the text was sent, and then there is a reset connection.
    const std::string ninth = ask(s.address(), get_of("/ninth"));
    CHECK_FALSE(has(ninth, "you asked"));
    CHECK((ninth.empty() || has(ninth, "HTTP/1.1 503 ")));
  }  // the gate opens, and then they are joined
  for (std::string const& a : answers) CHECK(has(a, "you asked for /wait"));
  s.end(10s);
  const server again(listen_at("127.0.0.1:0", false), e.rules());
  CHECK(has(ask(again.address(), get_of("/x")), "you asked for /x"));
}

TEST_CASE("server: a large answer is sent whole, and holds up nobody while it is not taken") {
  echo e;
  const server s(listen_at("127.0.0.1:0", false), e.rules());
  std::vector<descriptor> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(connected_to(s.address()));
    say(slow.back(), get_of("/large"));
  }
  CHECK(has(ask(s.address(), get_of("/small")), "you asked for /small"));
  const std::string head = ask(s.address(), "HEAD /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(head.ends_with(
      "\r\nContent-Length: 25165824\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n"));
  for (descriptor const& c : slow) CHECK(last_of(c).ends_with("\r\n\r\n" + large));
}

TEST_CASE("server: its rules say which host it is, and how it refuses") {
  echo e;
  connection_rules rules = e.rules();
  rules.own_name = "10.0.0.7";
  rules.takes_bodies = false;
  rules.refusal = [](int status, std::string_view) { return text_refusal(status, "no"); };
  rules.headers = {{"X-All", "yes"}};
  const server s(listen_at("127.0.0.1:0", false), rules);
  const auto answer_to = [&](std::string const& headers) {
    std::string text = ask(s.address(), "POST /x HTTP/1.1\r\n" + headers + "\r\n");
    CHECK(has(text, "\r\nX-All: yes\r\n"));
    return text;
  };
  CHECK(has(answer_to("Host: localhost\r\nContent-Length: 100\r\n"), "you asked for /x"));
  CHECK(has(answer_to("Host: 10.0.0.7:80\r\n"), "you asked for /x"));
  CHECK(has(answer_to("Host: 10.0.0.8\r\n"), " 403 "));
  CHECK(has(answer_to(""), " 403 "));
  CHECK(has(answer_to("Host: 10.0.0.7\r\nHost: 10.0.0.7\r\n"), " 400 "));
  CHECK(answer_to("Host: localhost\r\nExpect: 100-continue\r\n").starts_with("HTTP/1.1 417 "));
  CHECK(has(answer_to("X: " + std::string(20'000, 'x') + "\r\n"), " 431 "));
  CHECK(answer_to("Host: evil\r\n").ends_with("\r\n\r\nno\n"));
  CHECK(has(ask(s.address(), "GET / HTTP/1.0\r\n\r\n"), " 403 "));
  CHECK(has(ask(s.address(), get_of("/" + std::string(20'000, 'x'))), " 414 "));
}

TEST_CASE("server: `end` waits for requests that are being answered, so long and no longer") {
  echo e;
  server s(listen_at("127.0.0.1:0", false), e.rules());
  std::string answer;
  std::jthread client;
  {
    const std::scoped_lock hold(e.gate);
    client = std::jthread([&] { answer = ask(s.address(), get_of("/wait")); });
    wait_for(e.waiting, 1);
    const auto begin = std::chrono::steady_clock::now();
    s.end(100ms);
    CHECK(std::chrono::steady_clock::now() - begin >= 100ms);
    CHECK(e.waiting == 1);
  }
  s.end(10s);
  CHECK(e.waiting == 0);
}

TEST_CASE("server: its threads take no signals") {
  static std::atomic<int> taken{0};
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { ++taken; };
  sigaction(SIGUSR1, &action, &before);
  sigset_t only{};
  sigemptyset(&only);
  sigaddset(&only, SIGUSR1);
  echo e;
  {
    const server s(listen_at("127.0.0.1:0", false), e.rules());
    pthread_sigmask(SIG_BLOCK, &only, nullptr);  // here, and in the client that begins now
    std::jthread client;
    const std::scoped_lock hold(e.gate);
    client = std::jthread([&] { static_cast<void>(ask(s.address(), get_of("/wait"))); });
    wait_for(e.waiting, 1);
    CHECK(number_of_threads() >= 4);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    std::this_thread::sleep_for(50ms);
    CHECK(taken == 0);
  }
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  CHECK(taken == 1);
  sigaction(SIGUSR1, &before, nullptr);
}

#if !MEMPROF_THREAD_SANITIZED  // whose runtime fails in a child that detaches a thread
TEST_CASE("server: a child that destroys its copy leaves the parent's alone") {
  echo e;
  const std::string path = "server_test." + std::to_string(getpid()) + ".sock";
  {
    const server s(listen_at("unix:" + path, false), e.rules());
    const pid_t child = fork();
    if (child == 0) {
      s.~server();
      _exit(std::filesystem::exists(path) ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(has(ask(s.address(), get_of("/still")), "you asked for /still"));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}
#endif

TEST_CASE("server: other names of this machine, by the address and the token") {
  echo e;
  const std::string elsewhere = "GET /x HTTP/1.1\r\nHost: evil.example\r\n\r\n";
  const server loopback(listen_at("127.0.0.1:0", false), e.rules());
  CHECK(has(ask(loopback.address(), elsewhere), "HTTP/1.1 403 "));
  connection_rules with_token = e.rules();
  with_token.token = "secret";
  const server guarded(listen_at("127.0.0.1:0", true), std::move(with_token));
  CHECK(has(ask(guarded.address(), elsewhere), "HTTP/1.1 401 "));
  CHECK(has(ask(guarded.address(),
                "GET /x HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer secret\r\n\r\n"),
            "you asked for /x"));
}
