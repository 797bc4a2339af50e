// SPDX-License-Identifier: MIT
#include "memprof/serve/adaptors.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "support/catch2.hpp"

namespace http = boost::beast::http;
using namespace memprof::serve;

TEST_CASE("adaptors: which paths are served") {
  CHECK(is_served("/metrics?x=1"));
  CHECK(is_served("/debug/pprof"));
  CHECK(is_served("/debug/pprof/heap?seconds=1"));
  CHECK(is_served("/debug/memprof"));
  CHECK(is_served("/debug/memprof/api/trace"));
  CHECK_FALSE(is_served("/debug/pprofile"));
  CHECK_FALSE(is_served("/debug/memprofile"));
  CHECK_FALSE(is_served("/"));
}

// Drogon's is tested by servers.drogon, cpp-httplib's with the example server:
// judges.live_metrics_judge.
TEST_CASE("adaptors: Boost.Beast") {
  http::request<http::string_body> request{http::verb::get, "/metrics", 11};
  request.set(http::field::accept, "application/openmetrics-text");
  auto answer = respond_to_beast<http::response<http::string_body>>(request);
  CHECK(answer.result_int() == 200);
  CHECK(answer["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8");
  CHECK(answer["Vary"] == "Accept");
  CHECK(answer["Content-Length"] == std::to_string(answer.body().size()));
  CHECK(answer.body().ends_with("# EOF\n"));
  CHECK(answer.keep_alive());

  request.method(http::verb::post);
  request.target("/debug/pprof/symbol");
  request.body() = "0x1";
  answer = respond_to_beast<http::response<http::string_body>>(request);
  CHECK(answer.body() == "num_symbols: 1\n");
  request.method(http::verb::delete_);
  CHECK(respond_to_beast<http::response<http::string_body>>(request).result_int() == 405);
}
