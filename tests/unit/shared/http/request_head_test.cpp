// SPDX-License-Identifier: MIT
#include "http/request_head.hpp"

#include <string>

#include "support/catch2.hpp"

using namespace memprof::http;

namespace {

request_head head_with(std::string const& headers, std::string const& first = "GET /x HTTP/1.1") {
  static std::string text;  // what heads are parts of
  text = first + "\r\n" + headers + "\r\n";
  return request_head::of(text);
}

}  // namespace

TEST_CASE("request head: ends at its first empty line") {
  CHECK(end_of_head("GET / HTTP/1.1\r\nHost: a\r\n") == 0);
  CHECK(end_of_head("GET / HTTP/1.1\r\n\r\nbody\n\n") == 18);
  CHECK(end_of_head("GET / HTTP/1.0\n\nbody\r\n\r\n") == 16);
}

TEST_CASE("request head: exactly one host, but for HTTP/1.0") {
  CHECK(head_with("Host: a:1 \r\n").refusal == 0);
  CHECK(head_with("hOST:\ta:1\t\r\n").host == "a:1");
  CHECK(head_with("").refusal == 400);
  CHECK(head_with("Host: a\r\nHost: a\r\n").refusal == 400);
  CHECK(head_with("Host: a\r\nHost: a\r\n", "GET / HTTP/1.0").refusal == 400);
  CHECK(head_with("", "GET / HTTP/1.0").refusal == 0);
  CHECK(head_with("Host : a\r\n").refusal == 400);
  // That of the target counts.
  const request_head absolute = head_with("Host: a\r\n", "GET http://b:1/c?d HTTP/1.1");
  CHECK(absolute.host == "b:1");
  CHECK(absolute.target == "/c?d");
  CHECK(head_with("Host: a\r\n", "GET HTTP://b?d HTTP/1.1").target == "?d");
  CHECK(head_with("Host: a\r\n", "GET http://b HTTP/1.1").target == "/");
}

TEST_CASE("request head: what a client takes") {
  const request_head h = head_with("Host: a\r\naccept-Encoding:gzip, br\r\nAccept: */*\r\n");
  CHECK(h.accept_encoding == "gzip, br");
  CHECK(h.accept == "*/*");
}

TEST_CASE("request head: whether another request may follow") {
  CHECK_FALSE(head_with("Host: a\r\n").is_last);
  CHECK_FALSE(head_with("Host: a\r\nConnection: keep-alive, closed\r\n").is_last);
  CHECK(head_with("Host: a\r\nConnection: keep-alive ,\tCLOSE\r\nConnection: TE\r\n").is_last);
  CHECK(head_with("Connection: keep-alive\r\n", "GET / HTTP/1.0").is_last);
}

TEST_CASE("request head: what another reader could take for another request") {
  CHECK(end_of_head("GET / HTTP/1.1\n\r\nGET / HTTP/1.1\r\n\r\n") == 17);
  for (char const* header : {"Content-Length: 5\r\nContent-Length: 6", "Content-Length\t: 5",
                             "X: 1\r\n Content-Length: 5", "X: 1\rContent-Length: 5"}) {
    INFO(header);
    CHECK(head_with("Host: a\r\n" + std::string(header) + "\r\n").refusal == 400);
  }
}

TEST_CASE("request head: expectations") {
  CHECK(head_with("Host: a\r\nExpect: 100-continue\r\n").awaits_consent);
  CHECK(head_with("Host: a\r\nexpect: 100-CONTINUE\r\n").awaits_consent);
  CHECK(head_with("Host: a\r\nExpect: 200-ok\r\n").refusal == 417);
  const request_head old = head_with("Expect: 100-continue\r\n", "POST / HTTP/1.0");
  CHECK_FALSE(old.awaits_consent);
  CHECK(old.refusal == 0);
}

TEST_CASE("request head: what is malformed") {
  for (char const* first : {"", "GET", "GET /", "GET / SPDY/1", " ", "  ", "\x16\x03\x01"}) {
    INFO(first);
    CHECK(head_with("Host: a\r\n", first).refusal == 400);
  }
  CHECK(head_with("Host: a\r\nno colon\r\n").refusal == 400);
  CHECK(head_with("Host: a\r\nContent-Length: -1\r\n").refusal == 400);
  CHECK(head_with("Host: a\r\nContent-Length: 99999999\r\n").refusal == 400);
  CHECK(head_with("Host: a\r\nTransfer-Encoding: chunked\r\n").refusal == 400);
  CHECK(head_with("Host: a\r\nContent-Length: 7\r\n").length == 7);
}
