// SPDX-License-Identifier: MIT
#include "http/request_target.hpp"

#include <string>

#include "support/catch2.hpp"

using namespace memprof::http;

TEST_CASE("request target: path and query") {
  CHECK(request_target::of("/metrics").path == "/metrics");
  CHECK(request_target::of("/metrics").query.empty());
  const request_target t = request_target::of("/heap?seconds=5&debug&x=a=b&&seconds=7");
  CHECK(t.path == "/heap");
  CHECK(t.value("seconds") == "5");
  CHECK(t.value("debug") == "");
  CHECK(t.value("x") == "a=b");
  CHECK_FALSE(t.value("second"));
  CHECK_FALSE(request_target::of("/heap?").value("seconds"));
}

TEST_CASE("request target: numbers") {
  CHECK(natural_number("300", 300) == 300);
  CHECK(natural_number("0", 300) == 0);
  for (auto const* text :
       {"", "-1", "+1", " 1", "1 ", "1.5", "0x10", "301", "99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(natural_number(text, 300));
  }
}

TEST_CASE("request target: which format of metrics is asked for") {
  // What Prometheus sends (2.53, 3.x), browsers, curl.
  CHECK(
      prefers_openmetrics("application/openmetrics-text;version=1.0.0;q=0.5,"
                          "application/openmetrics-text;version=0.0.1;q=0.4,"
                          "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
  CHECK(prefers_openmetrics("application/openmetrics-text"));
  CHECK(prefers_openmetrics("Application/OpenMetrics-Text ; version=1.0.0 ; charset=utf-8"));
  CHECK_FALSE(prefers_openmetrics("text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
  CHECK_FALSE(prefers_openmetrics("text/html,application/xhtml+xml,*/*;q=0.8"));
  CHECK_FALSE(prefers_openmetrics("*/*"));
  CHECK_FALSE(prefers_openmetrics(""));
  CHECK_FALSE(prefers_openmetrics("application/openmetrics-text;q=0"));
  CHECK_FALSE(prefers_openmetrics("application/openmetrics-text;version=2.0.0,text/plain"));
  CHECK_FALSE(prefers_openmetrics("application/openmetrics-text;q=0.3,text/plain;q=0.4"));
  CHECK_FALSE(prefers_openmetrics("application/openmetrics-text;q=high"));
  CHECK_FALSE(prefers_openmetrics(";;;,,,=;q=;q"));
}

TEST_CASE("request target: a path without its escapes") {
  CHECK(decoded_path("/api/source/%2Fusr%2finclude%2Fa+b%20c.hpp") ==
        "/api/source//usr/include/a+b c.hpp");
  CHECK(decoded_path("/%00") == std::string_view("/\0", 2));
  for (char const* plain :
       {"", "/", "%", "/%", "/%2", "/%2g", "/%g2", "/%-1", "/% 1", "/%+1", "/%0x"}) {
    CHECK(decoded_path(plain) == plain);
  }
}
