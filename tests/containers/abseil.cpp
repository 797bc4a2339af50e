// SPDX-License-Identifier: MIT
// Containers that an exception out of an allocation leaves broken: interrupts wait until they are
// done. This is compiled without optimisation, so that each of their functions has a frame.
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/node_hash_map.h>
#include <absl/strings/cord.h>

#include "interrupted_container.hpp"

int main() {
  interrupted_container<absl::flat_hash_map<std::string, int>>("absl::flat_hash_map",
                                                               [](auto& map) {
                                                                 for (int i = 0; i < 40; ++i)
                                                                   map[containers::text(i)] = i;
                                                               });
  interrupted_container<absl::node_hash_map<std::string, int>>("absl::node_hash_map",
                                                               [](auto& map) {
                                                                 for (int i = 0; i < 40; ++i)
                                                                   map[containers::text(i)] = i;
                                                               });
  interrupted_container<absl::btree_map<std::string, int>>("absl::btree_map", [](auto& map) {
    for (int i = 0; i < 60; ++i) map[containers::text(i)] = i;
  });
  interrupted_container<absl::Cord>("absl::Cord", [](absl::Cord& cord) {
    for (int i = 0; i < 20; ++i) cord.Append(std::string(600, 'a'));
  });
  containers::fill_beyond_limit<absl::flat_hash_map<std::string, int>>(
      [](auto& map, int i) { map[containers::text(i)] = i; });
}
