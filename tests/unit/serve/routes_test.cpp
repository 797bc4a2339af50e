// SPDX-License-Identifier: MIT
#include "serve/routes.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "serve/packed_index.hpp"
#include "serve/single_file.hpp"
#include "support/catch2.hpp"
#include "support/traces.hpp"

using namespace memprof::serve;

namespace {

std::shared_ptr<served_trace> trace_named(char const* name) {
  return std::make_shared<served_trace>(
      trace_options{.file = (memprof_test::traces_directory() / name).string(),
                    .recover = false,
                    .awaited = false,
                    .names = nullptr});
}

}  // namespace

TEST_CASE("parameters are read once, and none may be left") {
  parameters p({{"a", "1"}, {"b", "x"}, {"a", "2"}, {"base.c", "3"}, {"function", "f"}});
  CHECK(p.text("a") == "2");
  CHECK(p.text("a") == "");
  CHECK(p.selection().size() == 1);
  const auto base = p.with_prefix("base.");
  REQUIRE(base.size() == 1);
  CHECK(base[0].name == "c");
  CHECK_THROWS_AS(p.finish(), bad_parameter);
  CHECK_THROWS_AS(p.count("b", 1, 0, 10), bad_parameter);
  CHECK_NOTHROW(p.finish());
  CHECK(p.count("gone", 7, 0, 10) == 7);
}

TEST_CASE("queries are decoded, and keep what comes twice") {
  using list = std::vector<memprof::analysis::named_text>;
  CHECK(parse_query("").empty());
  CHECK(parse_query("zoom=f&zoom=f&a=1") == list{{"zoom", "f"}, {"zoom", "f"}, {"a", "1"}});
  CHECK(parse_query("a=x%20y+z%2B&&b&c=%zz%4") == list{{"a", "x y z+"}, {"b", ""}, {"c", "%zz%4"}});
  CHECK(parse_query("a=b=c&=d&%61=%3D%26#e=f") == list{{"a", "b=c"}, {"", "d"}, {"a", "=&"}});
}

TEST_CASE("a selection is computed once for all routes, and again after the file has changed") {
  auto const trace = trace_named("viewer_test_repo.ctf");
  const auto state = trace->now();
  const auto first = trace->usage(*state, {{"size-min", "40B"}}, false);
  CHECK(trace->usage(*state, {{"size-min", "40B"}}, false) == first);
  CHECK(trace->usage(*state, {{"size-min", "40B"}}, true) != first);
  CHECK_THROWS_AS(trace->usage(*state, {{"size-min", "40"}}, false),
                  memprof::analysis::selection_error);
  for (std::size_t i = 0; i < served_trace::most_usages; ++i) {
    static_cast<void>(trace->usage(*state, {{"size-min", std::to_string(i) + "B"}}, false));
  }
  CHECK(trace->usage(*state, {{"size-min", "40B"}}, false) != first);
  CHECK_FALSE(trace->refresh());
}

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

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("M") == "TQ==");
  CHECK(base64("Ma") == "TWE=");
  CHECK(base64("Man") == "TWFu");
  CHECK(base64("ManMan") == "TWFuTWFu");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("the data of an offline page cannot end its element") {
  const std::string page =
      "<html><script id=\"memprof-data\" type=\"application/json\">old</script></html>";
  CHECK(with_data(page, "{}") ==
        "<html><script id=\"memprof-data\" type=\"application/json\">{}</script></html>");
  CHECK_THROWS_AS(with_data("<html></html>", "{}"), std::runtime_error);
  auto const trace = trace_named("viewer_test_repo.ctf");
  const json whole = json::parse(single_file_data(trace, "test"));
  CHECK(whole["trace"]["frozen"].is_null());
  CHECK(whole["tables"]["objects"] == trace->now()->index->objects().size());
  const std::string text = single_file_data(trace, "test", 3);
  CHECK(text.find('<') == std::string::npos);
  const json frozen = json::parse(text);
  CHECK_FALSE(frozen["trace"]["frozen"].is_null());
  CHECK_FALSE(frozen.contains("index"));
  const service s(trace, nullptr, "test");
  CHECK(frozen["answers"]["/api/graph?value=peak&from=sites"] ==
        json::parse(s.answer({"/api/graph", {{"value", "peak"}, {"from", "sites"}}}).body));
  CHECK(frozen["answers"]["/api/series"] == json::parse(s.answer({"/api/series", {}}).body));
}
