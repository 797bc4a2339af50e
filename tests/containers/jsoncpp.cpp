// SPDX-License-Identifier: MIT
// Library: JsonCpp
// Package: libjsoncpp-dev
// Modules: jsoncpp
#include <json/json.h>
#include <sstream>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("Json::Value", "parse, assign, write", [] {
    std::istringstream in(R"({"a": [1, 2, {"b": "a text that is longer"}], "c": null})");
    Json::Value v;
    in >> v;
    for (int i = 0; i < 5; ++i) v["d"].append(containers::text(i));
    Json::StreamWriterBuilder builder;
    CHECK(!Json::writeString(builder, v).empty());
  });
  return s.run();
}
