// SPDX-License-Identifier: MIT
#include "page_server/routes.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "support/catch2.hpp"
#include "unit/offline/page_server/trace_named.hpp"

using namespace memprof::page_server;

TEST_CASE("the routes") {
  auto const trace = trace_named("tiny.ctf"), other = trace_named("flushes.ctf");
  const service one(trace), both(trace, other);
  const json alone = json::parse(*one.answer("/api/trace").body);
  CHECK(alone["objects"] == 6);
  CHECK(alone["growing"] == false);
  CHECK(alone["other"].is_null());
  CHECK(json::parse(*both.answer("/api/trace").body)["other"]["file"] == "flushes.ctf");
  const memprof::http::response index = both.answer("/api/index");
  CHECK(index.content_type == index_type);
  CHECK(index.headers == memprof::http::header_list{{"Memprof-Generation", "1"}});
  CHECK(index.body == trace->now()->index);  // not a copy
  CHECK(both.answer("/api/other").body == other->now()->index);
}

TEST_CASE("what is not there is refused, shortly and as JSON") {
  const service s(trace_named("tiny.ctf"));
  for (std::string const& path :
       {std::string("/etc/passwd"), std::string("/api/other"), std::string("/api/graph"),
        std::string("/") + std::string(5000, 'x'), std::string("/\xff\xfe")}) {
    const memprof::http::response r = s.answer(path);
    CHECK(r.status == 404);
    CHECK(r.body->size() < 1000);
    CHECK(json::accept(*r.body));
  }
}

TEST_CASE("only sources that the trace names are read") {
  auto const trace = trace_named("leaky.ctf");
  const service s(trace);
  const memprof::http::response named =
      s.answer("/api/source/list.ml");  // a relative path: nobody knows of where
  CHECK(named.status == 200);
  const json answer = json::parse(*named.body);
  CHECK(answer["lines"].is_null());
  CHECK(answer["why"].get<std::string>().find("no such file on this machine") != std::string::npos);
  for (char const* file : {"/etc/passwd", "/usr/include/stdio.h", "", "/../etc/passwd"}) {
    const memprof::http::response r = s.answer(std::string("/api/source/") + file);
    CHECK(r.status == 404);
    CHECK(r.body->find("no frame of this trace names it") != std::string::npos);
  }
}
