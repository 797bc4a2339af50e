// SPDX-License-Identifier: MIT
#include "http/host_name.hpp"

#include "support/catch2.hpp"

using namespace memprof::http;

TEST_CASE("host name: what a header names, without port and brackets") {
  CHECK(host_named("LocalHost") == "localhost");
  CHECK(host_named("localhost:80") == "localhost");
  CHECK(host_named("localhost:") == "localhost");
  CHECK(host_named("127.0.0.1:65535") == "127.0.0.1");
  CHECK(host_named("[::1]:80") == "::1");
  CHECK(host_named("[::FFFF:127.0.0.1]") == "::ffff:127.0.0.1");
  CHECK(host_named("my-box_1.example.") == "my-box_1.example.");
  for (char const* bad : {"", ":80", "[::1", "[::1]x", "[::1]:80:80", "[::1]:65536", "[]",
                          "[localhost]", "[::1%25lo]", "::1", "a:b", "a:1:2", "a:-1", "a: 1",
                          "user@a", "a b", "a/b", "a\tb", "\xc3\xa4"}) {
    INFO(bad);
    CHECK_FALSE(host_named(bad));
  }
  CHECK_FALSE(host_named(std::string_view("localhost\0.evil", 15)));
  CHECK_FALSE(host_named('[' + std::string(100'000, ':') + ']'));
}

TEST_CASE("host name: a server answers to its own names and those of loopback alone") {
  for (char const* good :
       {"localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:65535", "[::1]:1", "localhost:"}) {
    INFO(good);
    CHECK(is_host_of(good, "127.0.0.1"));
    CHECK(is_host_of(good, "10.0.0.7"));
  }
  for (char const* bad :
       {"", " ", "evil.example", "localhost.evil.example", "10.0.0.7", "127.0.0.1:1:2",
        "localhost:x1", "[::1", "[]", ":80", "127.0.0.1:123456", "localhost@evil.example",
        "[::1]evil", "[localhost]", "[127.0.0.1]", "localhost.", "localhost:65536", "[::1%25lo]"}) {
    INFO(bad);
    CHECK_FALSE(is_host_of(bad, "127.0.0.1"));
  }
  CHECK(is_host_of("10.0.0.7:80", "10.0.0.7"));
  CHECK(is_host_of("box.example", "Box.example"));
  CHECK_FALSE(is_host_of("10.0.0.8", "10.0.0.7"));
  CHECK(is_host_of("10.0.0.8", "0.0.0.0"));
  CHECK(is_host_of("[fe80::1]", "::"));
  CHECK_FALSE(is_host_of("evil.example", "0.0.0.0"));
}

TEST_CASE("host name: which are of loopback") {
  for (char const* good : {"localhost", "127.0.0.1", "127.255.1.2", "::1", "0:0:0:0:0:0:0:1"}) {
    INFO(good);
    CHECK(is_loopback(good));
  }
  for (char const* bad :
       {"localhost.", "127.1", "127.0.0.1.", "127.evil.example", "10.0.0.1", "127.0.0.256",
        "0177.0.0.1", "2130706433", "0x7f000001", "0.0.0.0", "::", "::2", "evil.example"}) {
    INFO(bad);
    CHECK_FALSE(is_loopback(bad));
  }
  CHECK(is_address("10.0.0.7"));
  CHECK(is_address("fe80::1"));
  CHECK_FALSE(is_address("localhost"));
}
