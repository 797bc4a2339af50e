// SPDX-License-Identifier: MIT
// What bad addresses, requests and clients get: refused, in bounded time, the program unharmed.
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/serve/listen.hpp"

#include "asking.hpp"

using memprof::serve_on;
using namespace memprof::test;

namespace {

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

TEST_CASE("listen: hostile requests are refused, and others answered meanwhile") {
  const auto server = serve_on("127.0.0.1:0");
  const std::string where = server.address();
  CHECK(has(ask(where, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"), " 403 "));
  CHECK(has(ask(where, "GET /metrics HTTP/1.1\r\nHost: 127.evil.example\r\n\r\n"), " 403 "));
  CHECK(has(ask(where, "GET /" + std::string(10'000, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            " 414 "));
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
}

TEST_CASE("listen: good requests are answered beside slow clients") {
  const auto server = serve_on("127.0.0.1:0");
  const std::string where = server.address();
  const std::string profile = "GET /debug/pprof/heap HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::vector<descriptor> slow;
  for (int i = 0; i < 64; ++i) {
    slow.push_back(connected_to(where));
    // Of three one says nothing, one a part of its request, and one takes no answer.
    if (i % 3 == 1) say(slow.back(), "GET /metr");
    if (i % 3 == 2) say(slow.back(), profile);
  }
  std::vector<std::string> answers(16);
  const auto begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> clients;
    for (std::string& a : answers) {
      clients.emplace_back([&] { a = ask(where, get_metrics); });
    }
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(4));
  for (std::string const& a : answers) CHECK(has(a, "200 OK"));
  CHECK(rest_of(slow[63]).empty());  // cut off after 5 s
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("listen: paths that are no place for a socket") {
  const std::filesystem::path folder = "listen_hostile." + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::string file = folder / "file";
  std::ofstream(file) << "mine";
  for (std::string const& path : {std::string(108, 'x'), std::string(1 << 20, 'x'),
                                  std::string("\0abstract", 9), file + '\0' + "x"}) {
    CHECK_THROWS_AS(serve_on("unix:" + path), std::invalid_argument);
  }
  CHECK_THROWS_AS(serve_on("unix:" + file), std::runtime_error);
  CHECK_THROWS_AS(serve_on("unix:" + folder.string()), std::runtime_error);
  CHECK_THROWS_WITH(serve_on("unix:" + (folder / "none" / "socket").string()),
                    Catch::Matchers::ContainsSubstring("No such file or directory"));
  std::string text;
  std::ifstream(file) >> text;
  CHECK(text == "mine");
  // A link that leads nowhere is something that exists, too.
  std::filesystem::create_symlink("nowhere", folder / "link");
  CHECK_THROWS_AS(serve_on("unix:" + (folder / "link").string()), std::runtime_error);
  std::filesystem::remove_all(folder);
}

TEST_CASE("listen: pages of others, which a name server leads to loopback, get nothing") {
  const auto server = serve_on("127.0.0.1:0");
  const auto get = [&](std::string const& host) {
    return ask(server.address(), "GET /metrics HTTP/1.1\r\n" + host + "\r\n\r\n");
  };
  for (auto const* host : {"evil.example",
                           "localhost.evil.example",
                           "127.0.0.1.nip.io",
                           "0.0.0.0",
                           "192.168.1.1:8080",
                           "[::2]:80",
                           "evil.example:127",
                           "127.0.0.1@evil.example",
                           "x127.0.0.1",
                           "[::1]evil",
                           "[::1].evil.example",
                           "[::1]:80:80",
                           "[::1",
                           "::1",
                           "[::1%25lo]",
                           "[localhost]",
                           "localhost.",
                           "localhost@",
                           "user@localhost",
                           "127.1",
                           "127.0.0.1.",
                           "127.0.0.1:x",
                           "localhost:65536",
                           "127.0.0.256",
                           "",
                           "localhost evil"}) {
    INFO(host);
    CHECK(has(get(std::string("Host: ") + host), " 403 "));
  }
  for (auto const* host : {"localhost", "localhost:9090", "127.0.0.1:1", "127.1.2.3", "[::1]:80",
                           "LocalHost", "localhost:", "[0:0:0:0:0:0:0:1]", "[::1]"}) {
    INFO(host);
    CHECK(has(get(std::string("Host: ") + host), " 200 "));
  }
  // Two of them: whichever a proxy before us believed.
  CHECK(has(get("Host: localhost\r\nHost: evil.example"), " 400 "));
  CHECK(has(get("Host: evil.example\r\nhost: localhost"), " 400 "));
  CHECK(has(get("Host : evil.example"), " 400 "));
  CHECK(has(get("Accept: */*"), " 400 "));  // none
  // In the first line it counts, whatever the header says.
  const auto absolute = [&](std::string const& target) {
    return ask(server.address(), "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  };
  CHECK(has(absolute("http://evil.example/metrics"), " 403 "));
  CHECK(has(absolute("http://localhost@evil.example/metrics"), " 403 "));
  CHECK(has(absolute("HTTP://127.0.0.1:1/metrics?x"), " 200 "));
  CHECK(has(absolute("http:///metrics"), " 403 "));
  CHECK(has(absolute("ftp://localhost/metrics"), " 404 "));
}

TEST_CASE("listen: a client that asks whether to send its body is told so at once") {
  const auto server = serve_on("127.0.0.1:0");
  const auto begun = [&](std::string const& headers) {
    descriptor s = connected_to(server.address());
    say(s, "POST /debug/pprof/symbol HTTP/1.1\r\nContent-Length: 3\r\n" + headers + "\r\n");
    return s;
  };
  const std::string host = "Host: localhost\r\n";
  const descriptor asking = begun(host + "Expect: 100-Continue\r\n");
  char part[64] = {};
  const ssize_t n = recv(asking.get(), part, sizeof part, 0);
  CHECK(std::string_view(part, n > 0 ? n : 0) == "HTTP/1.1 100 Continue\r\n\r\n");
  say(asking, "0x1");
  CHECK(has(last_of(asking), "num_symbols: 1\n"));
  // What is refused is refused without its body.
  CHECK(rest_of(begun("Host: evil\r\nExpect: 100-continue\r\n")).starts_with("HTTP/1.1 403 "));
  CHECK(rest_of(begun(host + "Expect: a-miracle\r\n")).starts_with("HTTP/1.1 417 "));
}

TEST_CASE("listen: a forked child keeps nothing open, so the address can be had again") {
  const std::string path = "listen_kept." + std::to_string(getpid()) + ".sock";
  for (std::string const& wanted : {std::string("127.0.0.1:0"), "unix:" + path}) {
    auto server = std::make_unique<memprof::serve::listener>(serve_on(wanted));
    const std::string address = server->address();
    const descriptor begun = connected_to(address);
    say(begun, "GET /metr");
    CHECK(has(ask(address, get_metrics), "200 OK"));  // `begun` has been accepted
    int until_end[2];
    int has_begun[2];
    REQUIRE(pipe(until_end) == 0);
    REQUIRE(pipe(has_begun) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    char one = 'x';
    if (child == 0) {
      close(until_end[1]);
      if (write(has_begun[1], &one, 1) != 1) _exit(2);
      _exit(read(until_end[0], &one, 1) == 0 ? 0 : 1);
    }
    CHECK(read(has_begun[0], &one, 1) == 1);  // what runs in a child after fork has run
    close(has_begun[0]);
    close(has_begun[1]);
    server.reset();
    CHECK_NOTHROW(server = std::make_unique<memprof::serve::listener>(serve_on(address)));
    if (server) CHECK(has(ask(address, get_metrics), "200 OK"));
    close(until_end[0]);
    close(until_end[1]);
    CHECK(waitpid(child, nullptr, 0) == child);
  }
}

TEST_CASE("listen: the socket of a process that was killed is replaced, no other") {
  const std::string path = "listen_stale." + std::to_string(getpid()) + ".sock";
  const auto leave_behind = [&] {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const auto server = serve_on("unix:" + path);
      kill(getpid(), SIGKILL);
    }
    CHECK(waitpid(child, nullptr, 0) == child);
    CHECK(std::filesystem::exists(path));
  };
  for (int i = 0; i < 2; ++i) {  // a service that is started again and again
    leave_behind();
  }
  // Of many that start at once one has it.
  int has_it[2];
  REQUIRE(pipe(has_it) == 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(20);
      try {
        const auto server = serve_on("unix:" + path);
        static_cast<void>(!write(has_it[1], "x", 1));
        pause();
      } catch (std::runtime_error const&) {
      }
      _exit(0);
    }
    children.push_back(child);
  }
  char one;
  REQUIRE(read(has_it[0], &one, 1) == 1);
  CHECK(is_answered("unix:" + path, std::chrono::seconds(4)));
  CHECK_THROWS_AS(serve_on("unix:" + path), std::runtime_error);
  int ended = 0;
  for (int i = 0; i < 200 && ended < 7; ++i) {
    for (pid_t& child : children)
      ended += child > 0 && waitpid(child, nullptr, WNOHANG) == child && (child = 0, true);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(ended == 7);
  for (const pid_t child : children) {
    if (child == 0) continue;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  close(has_it[0]);
  close(has_it[1]);
  {
    const auto server = serve_on("unix:" + path);
    std::filesystem::remove(path);
    std::ofstream(path) << "of another";
  }
  CHECK(std::filesystem::is_regular_file(path));
  std::filesystem::remove(path);
}

TEST_CASE("listen: bodies that are too large, too short, or never end") {
  const auto server = serve_on("127.0.0.1:0");
  const auto post = [](std::size_t length) {
    return "POST /debug/pprof/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
           std::to_string(length) + "\r\n\r\n";
  };
  constexpr std::size_t most = 256 * 1024;
  CHECK(has(ask(server.address(), post(most) + std::string(most, '+')), " 200 "));
  CHECK(has(ask(server.address(), post(most + 1) + std::string(most + 1, '+')), " 400 "));
  CHECK(has(ask(server.address(), "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), " 400 "));
  // More than was announced is not read as a second request.
  const std::string twice = ask(server.address(), std::string(get_metrics) + get_metrics);
  CHECK(twice.find("HTTP/1.1 ") == twice.rfind("HTTP/1.1 "));

  const auto begin = std::chrono::steady_clock::now();
  const descriptor silent = connected_to(server.address());
  say(silent, post(10));
  const descriptor kept = connected_to(server.address());
  say(kept, get_metrics);
  CHECK(has(next_answer(kept), "\r\nKeep-Alive: timeout=5\r\n"));
  {
    // 64 MiB of headers, or of anything else, end where the server no longer listens.
    const descriptor flood = connected_to(server.address());
    say(flood, "GET / HTTP/1.1\r\n");
    const std::string part(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) say(flood, part);
    rest_of(flood);
  }
  CHECK(rest_of(silent).empty());  // cut off after 5 s
  CHECK(rest_of(kept).empty());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  CHECK(is_answered(server.address(), std::chrono::seconds(20)));
}

TEST_CASE("listen: without descriptors left it waits, without taking the processor") {
  const auto server = serve_on("127.0.0.1:0");
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const descriptor late(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(late.get()) + 1;  // the lowest that was free is the last
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(static_cast<std::uint16_t>(
      std::stoi(server.address().substr(server.address().rfind(':') + 1))));
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  REQUIRE(connect(late.get(), reinterpret_cast<sockaddr const*>(&where), sizeof where) == 0);
  say(late, get_metrics);
  timespec begin{}, end{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  const double used = static_cast<double>(end.tv_sec - begin.tv_sec) +
                      static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-9;
  CHECK(used < 0.1);
  CHECK(has(last_of(late), "200 OK"));
}

TEST_CASE("listen: a forked child ends its copy, and the parent's goes on") {
  const std::string path = "listen_hostile." + std::to_string(getpid()) + ".sock";
  auto server = std::make_unique<memprof::serve::listener>(serve_on("unix:" + path));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(20);
    server.reset();
    _exit(std::filesystem::exists(path) ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(has(ask("unix:" + path, get_metrics), "200 OK"));
}
