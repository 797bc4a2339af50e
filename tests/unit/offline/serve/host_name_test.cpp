// SPDX-License-Identifier: MIT

#include "serve/http_server.hpp"
#include "support/catch2.hpp"

using namespace memprof::serve;

TEST_CASE("a server answers to its own names alone") {
  for (char const* good :
       {"localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:65535", "[::1]:1"}) {
    INFO(good);
    CHECK(is_host_of(good, "127.0.0.1"));
    CHECK(is_host_of(good, "10.0.0.7"));
  }
  for (char const* bad : {"", " ", "evil.example", "localhost.evil.example", "10.0.0.7",
                          "127.0.0.1:1:2", "localhost:", "localhost:x1", "[::1", "[]", ":80",
                          "127.0.0.1:123456", "localhost@evil.example", "[::1]evil", "[localhost]",
                          "[127.0.0.1]", "localhost.", "localhost:65536", "[::1%25lo]"}) {
    INFO(bad);
    // An empty port is allowed by RFC 3986.
    CHECK(is_host_of(bad, "127.0.0.1") == (std::string_view(bad) == "localhost:"));
  }
  CHECK(is_host_of("10.0.0.7:80", "10.0.0.7"));
  CHECK(is_host_of("box.example", "box.example"));
  CHECK_FALSE(is_host_of("10.0.0.8", "10.0.0.7"));
  CHECK(is_host_of("10.0.0.8", "0.0.0.0"));
  CHECK(is_host_of("[fe80::1]", "::"));
  CHECK_FALSE(is_host_of("evil.example", "0.0.0.0"));
}

TEST_CASE("loopback") {
  CHECK(is_loopback("127.0.0.1"));
  CHECK(is_loopback("127.3.2.1"));
  CHECK(is_loopback("localhost"));
  CHECK(is_loopback("::1"));
  CHECK_FALSE(is_loopback("127.evil.example"));
  CHECK_FALSE(is_loopback("0.0.0.0"));
  CHECK_FALSE(is_loopback("10.0.0.1"));
}
