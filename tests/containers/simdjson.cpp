// SPDX-License-Identifier: MIT
// Library: simdjson
// Package: libsimdjson-dev
// Modules: simdjson
#include <simdjson.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("simdjson::dom::parser", "parse", [] {
    simdjson::dom::parser parser;
    simdjson::padded_string const source =
        std::string(R"({"a": [1, 2, {"b": "a text that is longer"}], "c": null})");
    simdjson::dom::element const e = parser.parse(source);
    CHECK(!simdjson::minify(e).empty());
  });
  return s.run();
}
