// SPDX-License-Identifier: MIT
// Library: tsl, ordered
// Package: libtsl-ordered-map-dev
#include <tsl/ordered_map.h>

#include "survey.hpp"

using containers::text;

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  using map = tsl::ordered_map<std::string, std::string>;
  s.container<map>("tsl::ordered_map", "operator[], copy, erase", [](map& m) {
    for (int i = 0; i < 40; ++i) m[text(i)] = text(i);
    map const copy = m;
    m.erase(text(3));
  });
  return s.run();
}
