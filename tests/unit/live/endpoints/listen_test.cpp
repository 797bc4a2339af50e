// SPDX-License-Identifier: MIT
#include "memprof/serve/listen.hpp"

#include <filesystem>
#include <stdexcept>
#include <unistd.h>

#include "asking.hpp"

using memprof::serve_on;
using namespace memprof::test;

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
    CHECK(has(
        ask(address,
            "POST /debug/pprof/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n0x1"),
        "num_symbols: 1\n"));
    const std::string head = ask(address, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
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
               "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n");
  };
  CHECK(has(with("secret"), "200 OK"));
  for (auto const* wrong : {"", "secre", "secrets", "Secret", "secretsecret"}) {
    CHECK(has(with(wrong), "HTTP/1.1 401 "));
  }
}
