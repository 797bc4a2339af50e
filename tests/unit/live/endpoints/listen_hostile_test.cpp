// SPDX-License-Identifier: MIT
// What bad addresses, requests and clients get: refused, in bounded time, the program unharmed.
#include <chrono>
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
  for (auto const* host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "0.0.0.0", "192.168.1.1:8080",
        "[::2]:80", "evil.example:127", "127.0.0.1@evil.example", "x127.0.0.1"}) {
    INFO(host);
    CHECK(has(get(std::string("Host: ") + host), " 403 "));
  }
  for (auto const* host : {"localhost", "localhost:9090", "127.0.0.1:1", "127.1.2.3", "[::1]:80"}) {
    INFO(host);
    CHECK(has(get(std::string("Host: ") + host), " 200 "));
  }
  // Two of them: whichever a proxy before us believed.
  CHECK(has(get("Host: localhost\r\nHost: evil.example"), " 400 "));
  CHECK(has(get("Host: evil.example\r\nhost: localhost"), " 400 "));
  CHECK(has(get("Host : evil.example"), " 400 "));
}

TEST_CASE("listen: bodies that are too large, too short, or never end") {
  const auto server = serve_on("127.0.0.1:0");
  const auto post = [](std::size_t length) {
    return "POST /debug/pprof/symbol HTTP/1.1\r\nContent-Length: " + std::to_string(length) +
           "\r\n\r\n";
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
  {
    // 64 MiB of headers, or of anything else, end where the server no longer listens.
    const descriptor flood = connected_to(server.address());
    say(flood, "GET / HTTP/1.1\r\n");
    const std::string part(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) say(flood, part);
    rest_of(flood);
  }
  CHECK(rest_of(silent).empty());  // cut off after 5 s
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
  CHECK(has(rest_of(late), "200 OK"));
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
