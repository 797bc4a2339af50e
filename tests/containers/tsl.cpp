// SPDX-License-Identifier: MIT
// Library: tsl, hopscotch
// Package: libtsl-hopscotch-map-dev
#include <tsl/bhopscotch_map.h>
#include <tsl/hopscotch_map.h>

#include "survey.hpp"

using containers::text;

namespace {

template <class Map>
void fill_map(Map& map) {
  for (int i = 0; i < 40; ++i) map[text(i)] = text(i);
  Map copy = map;
  map.erase(text(3));
}

}  // namespace

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  using map = tsl::hopscotch_map<std::string, std::string>;
  using tree_map = tsl::bhopscotch_map<std::string, std::string>;
  s.container<map>("tsl::hopscotch_map", "operator[], copy, erase", fill_map<map>);
  s.container<tree_map>("tsl::bhopscotch_map", "operator[], copy, erase", fill_map<tree_map>);
  return s.run();
}
