// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>
#include <string>

#include "support/require.hpp"
#include "support/situation.hpp"

namespace {

using memprof::test::require;
using nlohmann::json;

constexpr char const* text =
    R"({"name": "a name that is not short at all", "list": [1, 2.5, true, null, "x"],
  "nested": {"a": {"b": [[], [[]], {"c": "another text that needs memory"}]}}, "n": -12})";

MEMPROF_SITUATION(json_values, either) {
  json const parsed = json::parse(text);
  std::string const dumped = parsed.dump();
  json copy = json::parse(dumped);
  require(copy == parsed, "dump and parse");
  copy["list"].push_back("one more text that is not short");
  copy["nested"].erase("a");
  require(copy.flatten().size() == 9, "flatten");
  require(copy != parsed, "changed");
  auto const list = parsed.at("nested").at("a").at("b").get<std::vector<json>>();
  require(list.size() == 3, "a vector of it");
}

// A null that becomes an object has its new type before it has its memory.
MEMPROF_SITUATION_BECAUSE(json_from_null, either,
                          "nlohmann-json 3.11.2: a null that gets no memory to become an object") {
  json j;
  j["name"] = "a text that is not short at all";
  j["list"].push_back(1);
  require(j.size() == 2, "object from null");
}

// Its constructor leaks what it has made so far.
MEMPROF_SITUATION_BECAUSE(json_from_braces, either,
                          "nlohmann-json 3.11.2: braces leak if there is no memory") {
  json const j = {{"name", "a text that is not short at all"},
                  {"list", {1, 2, "and another text"}}};
  require(j.size() == 2, "braces");
}

// What the parser throws itself, on its way.
MEMPROF_SITUATION(json_errors, either) {
  int errors = 0;
  for (char const* const wrong : {"{\"a\": [1, 2", "[1, \"text that is not closed]", "nul"}) {
    try {
      auto const parsed = json::parse(wrong);
    } catch (json::parse_error const&) {
      ++errors;
    }
  }
  require(errors == 3, "parse errors");
  require(!json::accept("[1,"), "accept");
}

}  // namespace
