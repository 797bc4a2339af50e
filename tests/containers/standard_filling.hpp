// SPDX-License-Identifier: MIT
/// \file
/// Scenarios for containers with the standard's interface.
#pragma once

#include <iterator>

#include "survey.hpp"

namespace containers {

template <class Sequence>
void fill_sequence(Sequence& c) {
  for (int i = 0; i < 20; ++i) c.push_back(text(i));
  for (int i = 0; i < 10; ++i) c.insert(std::next(c.begin(), i), text(i));
  c.insert(std::next(c.begin()), 3, text(1));
  Sequence copy = c;
  c.erase(c.begin());
}

template <class Map>
void fill_map(Map& map) {
  for (int i = 0; i < 30; ++i) map[text(i * 7 % 30)] = text(i);
  Map copy = map;
  map.erase(text(3));
}

}  // namespace containers
