// SPDX-License-Identifier: MIT
// Library: toml++
// Package: libtomlplusplus-dev
// Modules: tomlplusplus
#include <sstream>
#include <toml++/toml.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("toml::table", "parse, insert, print", [] {
    toml::table t = toml::parse("a = [1, 2]\n[b]\nc = 'a text that is longer than short'\n");
    t.insert("d", containers::text(1));
    std::ostringstream out;
    out << t;
  });
  return s.run();
}
