// SPDX-License-Identifier: MIT
#include "serve/routes.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>

#include "support/catch2.hpp"
#include "support/traces.hpp"
#include "unit/offline/serve/trace_named.hpp"

using namespace memprof::serve;

TEST_CASE("what is not there yet is empty, and comes") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("memprof-serve-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto file = folder / "a.ctf";
  auto const trace = std::make_shared<served_trace>(
      trace_options{.file = file.string(), .recover = false, .awaited = true, .names = nullptr});
  const service s(trace, nullptr, "test");
  CHECK(json::parse(s.answer({"/api/trace", {}}).body)["objects"] == 0);
  CHECK(json::parse(s.answer({"/api/trace", {}}).body)["growing"] == true);
  for (char const* path : {"/api/graph", "/api/table", "/api/series", "/api/stacked", "/api/ages",
                           "/api/histograms", "/api/scatter", "/api/survival", "/api/promotion",
                           "/api/suspects", "/api/diff", "/api/folded"}) {
    CHECK(s.answer({path, {}}).status == 200);
  }
  CHECK_FALSE(trace->refresh());
  std::filesystem::copy_file(memprof_test::traces_directory() / "tiny.ctf", file);
  CHECK(trace->refresh());
  CHECK_FALSE(trace->refresh());
  const response r = s.answer({"/api/trace", {}});
  CHECK(json::parse(r.body)["objects"] == 6);
  CHECK(r.generation == 2);
  const auto other = folder / "b.ctf";
  std::filesystem::copy_file(memprof_test::traces_directory() / "flushes.ctf", other);
  trace->follow(other.string());
  CHECK(trace->refresh());
  CHECK(json::parse(s.answer({"/api/trace", {}}).body)["file"] == "b.ctf");
  std::filesystem::remove_all(folder);
}

TEST_CASE("refusals name what is wrong") {
  const service s(trace_named("tiny.ctf"), nullptr, "test");
  const response r = s.answer({"/api/graph", {{"size-min", "12x"}}});
  CHECK(r.status == 400);
  CHECK(json::parse(r.body)["parameter"] == "size-min");
  CHECK(s.answer({"/etc/passwd", {}}).status == 404);
  const response long_one = s.answer({"/api/graph", {{std::string(5000, 'x'), "1"}}});
  CHECK(long_one.status == 400);
  CHECK(long_one.body.size() < 1000);
  // What a request holds need not be UTF-8; what we answer is.
  CHECK(json::accept(s.answer({"/api/graph", {{"\xff\xfe", "1"}}}).body));
}
