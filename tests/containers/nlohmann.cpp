// SPDX-License-Identifier: MIT
// Library: nlohmann
// Package: nlohmann-json3-dev
#include <nlohmann/json.hpp>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  using nlohmann::json;
  s.function("nlohmann::json", "parse, dump, copy, assign", [] {
    json v = json::parse(R"({"a": [1, 2, {"b": "a text that is longer"}], "c": null})");
    json copy = v;
    for (int i = 0; i < 10; ++i) copy["list"].push_back({{"k", containers::text(i)}, {"n", i}});
    CHECK(!copy.dump().empty());
    CHECK(!json::to_cbor(copy).empty());
  });
  // What a document is filled by first. The value says what it is before it is that.
  s.scenario<json>(
      "nlohmann::json", "push_back onto null",
      [](json& v) {
        v = nullptr;
        v.push_back(containers::text(1));
        v.push_back(2);
      },
      [](json& v) { return v.is_null() || v.dump().size() > 2; });
  return s.run();
}
