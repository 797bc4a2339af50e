// SPDX-License-Identifier: MIT
// Library: RapidJSON
// Package: rapidjson-dev
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("rapidjson::Document", "Parse, Accept", [] {
    rapidjson::Document d;
    d.Parse(R"({"a": [1, 2, {"b": "a text that is longer"}], "c": null})");
    CHECK(!d.HasParseError());
    rapidjson::StringBuffer buffer;
    rapidjson::Writer writer(buffer);
    d.Accept(writer);
  });
  return s.run();
}
