// SPDX-License-Identifier: MIT
#include "endpoints/code_names.hpp"

namespace memprof::endpoints {
namespace {

constexpr std::size_t most_names = 100'000;

}  // namespace

modules::code_places code_names::find(std::vector<std::uintptr_t> const& addresses) {
  modules::code_places all = modules::find_code_places(addresses, false);
  std::vector<std::uintptr_t> unknown;
  std::vector<std::size_t> where;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    modules::code_place& place = all.places[i];
    if (place.segment == modules::code_place::nowhere) continue;
    const auto known = known_.find(addresses[i]);
    if (known != known_.end() && known->second.segment == all.segments[place.segment]) {
      place.function = known->second.function;
    } else {
      unknown.push_back(addresses[i]);
      where.push_back(i);
    }
  }
  if (unknown.empty()) return all;
  if (known_.size() + unknown.size() > most_names) known_.clear();
  modules::code_places const found = modules::find_code_places(unknown, true);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    modules::code_place& place = all.places[where[i]];
    place.function = found.places[i].function;
    if (known_.size() >= most_names) continue;
    known_.insert_or_assign(unknown[i], known_name{all.segments[place.segment], place.function});
  }
  return all;
}

}  // namespace memprof::endpoints
