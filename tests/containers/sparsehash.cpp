// SPDX-License-Identifier: MIT
// Library: sparsehash
// Package: libsparsehash-dev
#include <sparsehash/dense_hash_map>
#include <sparsehash/sparse_hash_map>

#include "survey.hpp"

using containers::text;

namespace {

struct dense : google::dense_hash_map<std::string, std::string> {
  dense() { set_empty_key(""); }
};
using sparse = google::sparse_hash_map<std::string, std::string>;

template <class Map>
void fill_map(Map& map) {
  for (int i = 0; i < 12; ++i) map[text(i)] = text(i);
  Map copy = map;
}

}  // namespace

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.container<dense>("google::dense_hash_map", "operator[], copy", fill_map<dense>);
  s.container<sparse>("google::sparse_hash_map", "operator[], copy", fill_map<sparse>);
  return s.run();
}
