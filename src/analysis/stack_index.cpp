// SPDX-License-Identifier: MIT
#include "analysis/stack_index.hpp"

#include <algorithm>
#include <stdexcept>

namespace memprof::analysis {

std::size_t stack_index::place(node parent, trace::location_code code) const {
  const std::uint64_t mixed = (code ^ (std::uint64_t{parent} << 32)) * 0x9e3779b97f4a7c15U;
  std::size_t i = static_cast<std::size_t>(mixed ^ (mixed >> 29)) & (places_.size() - 1);
  for (; places_[i] != root; i = (i + 1) & (places_.size() - 1)) {
    entry const& e = nodes_[places_[i]];
    if (e.parent == parent && e.code == code) break;
  }
  return i;
}

void stack_index::grow() {
  places_.assign(places_.size() * 2, root);
  for (std::size_t n = 1; n < nodes_.size(); ++n) {
    places_[place(nodes_[n].parent, nodes_[n].code)] = static_cast<node>(n);
  }
}

stack_index::node stack_index::child(node parent, trace::location_code code) {
  std::size_t i = place(parent, code);
  if (places_[i] != root) return places_[i];
  if (nodes_.size() >= 0xffff'ffffU) throw std::length_error("too many different backtraces");
  nodes_.push_back({parent, code});
  places_[i] = static_cast<node>(nodes_.size() - 1);
  const node result = places_[i];
  if (nodes_.size() * 4 > places_.size() * 3) grow();
  return result;
}

stack_index::node stack_index::find(trace::event const& e) {
  std::vector<node>& path = paths_[e.domain];
  const std::size_t known = static_cast<std::size_t>(std::min<std::uint64_t>(
      {e.common_prefix, path.size(), e.backtrace.size()}));
  path.resize(known);
  for (std::size_t i = known; i < e.backtrace.size(); ++i) {
    path.push_back(child(path.empty() ? root : path.back(), e.backtrace[i]));
  }
  return path.empty() ? root : path.back();
}

std::vector<trace::location_code> stack_index::backtrace(node n) const {
  std::vector<trace::location_code> result;
  for (; n != root; n = nodes_[n].parent) result.push_back(nodes_[n].code);
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace memprof::analysis
