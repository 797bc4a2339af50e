// SPDX-License-Identifier: MIT
// Library: Abseil
// Package: libabsl-dev
// Modules: absl_flat_hash_map absl_node_hash_map absl_btree absl_cord absl_strings
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>
#include <absl/container/node_hash_map.h>
#include <absl/strings/cord.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include "survey.hpp"

using containers::text;

namespace {

template <class Map>
void fill_map(Map& map) {
  for (int i = 0; i < 40; ++i) map[text(i)] = i;
}

template <class Map>
void fill_and_erase(Map& map) {
  for (int i = 0; i < 40; ++i) map.insert({text(i), text(i)});
  for (int i = 0; i < 40; i += 2) map.erase(text(i));
  Map copy = map;
  copy.insert({text(50), text(50)});
}

}  // namespace

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  using flat = absl::flat_hash_map<std::string, int>;
  using flat_texts = absl::flat_hash_map<std::string, std::string>;
  using set = absl::flat_hash_set<std::string>;
  using node = absl::node_hash_map<std::string, int>;
  using btree = absl::btree_map<std::string, int>;
  using inlined = absl::InlinedVector<std::string, 4>;
  s.container<flat>("absl::flat_hash_map", "operator[]", fill_map<flat>);
  s.container<flat_texts>("absl::flat_hash_map", "insert, erase, copy", fill_and_erase<flat_texts>);
  s.container<set>("absl::flat_hash_set", "insert", [](set& c) {
    for (int i = 0; i < 40; ++i) c.insert(text(i));
  });
  s.container<node>("absl::node_hash_map", "operator[]", fill_map<node>);
  s.container<btree>("absl::btree_map", "operator[]", [](btree& map) {
    for (int i = 0; i < 150; ++i) map[text(i * 37 % 150)] = i;
  });
  s.container<inlined>("absl::InlinedVector", "push_back, insert", [](inlined& c) {
    for (int i = 0; i < 20; ++i) c.push_back(text(i));
    for (int i = 0; i < 5; ++i) c.insert(c.begin() + 1, text(i));
  });
  s.scenario<absl::Cord>(
      "absl::Cord", "Append",
      [](absl::Cord& cord) {
        for (int i = 0; i < 20; ++i) cord.Append(std::string(600, 'a'));
      },
      [](absl::Cord& cord) { return std::string(cord).size() == cord.size(); });
  s.function("absl::StrCat, StrAppend, StrSplit", "calls", [] {
    std::string all;
    for (int i = 0; i < 10; ++i) absl::StrAppend(&all, absl::StrCat(text(i), ",", i), ",");
    std::vector<std::string> const parts = absl::StrSplit(all, ',');
    CHECK(parts.size() == 21);
  });
  if (count == 1) {
    containers::fill_beyond_limit<flat>([](auto& map, int i) { map[text(i)] = i; });
  }
  return s.run();
}
