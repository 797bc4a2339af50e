// SPDX-License-Identifier: MIT
#include "serve/single_file.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "serve/routes.hpp"
#include "support/catch2.hpp"
#include "unit/offline/serve/trace_named.hpp"

using namespace memprof::serve;

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
