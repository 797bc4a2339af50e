// SPDX-License-Identifier: MIT
#include "analysis/stack_tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace memprof::analysis {

stack_tree::stack_tree() : runs_{run{}}, starts_{1}, runs_before_{0} { codes_.push_back(0); }

stack_tree::node_id stack_tree::add(trace::event const& e, code_table& codes,
                                    trace::legend legend) {
  std::vector<node_id>& path = path_of(e.domain);
  const std::size_t length = e.backtrace.size();
  const std::size_t known =
      std::min({path.size() - 1, static_cast<std::size_t>(e.common_prefix), length});
  path.resize(length + 1);
  node_id at = path[known];
  bool is_new = false;
  for (std::size_t i = known; i < length; ++i) {
    const trace::location_code code = e.backtrace[i];
    const code_table::id id = codes.find(code, legend);
    const node_id next = at + 1;
    if (is_new) {
      at = make(at, code, id);
    } else if (next < size() && !begins_run(next) && codes_[next] == id) {
      at = next;
    } else if (const node_id found = index_.lookup(code, at); found != flat_index::none) {
      at = found;
    } else {
      is_new = true;
      at = make(at, code, id);
    }
    path[i + 1] = at;
  }
  return at;
}

stack_tree::node_id stack_tree::make(node_id parent, trace::location_code code, code_table::id id) {
  const auto node = static_cast<node_id>(size());
  if (node >= most_nodes) {
    throw std::length_error("the trace has more than 134 million different stack frames");
  }
  if (node % 64 == 0) {
    starts_.push_back(0);
    runs_before_.push_back(static_cast<std::uint32_t>(runs_.size()));
  }
  if (parent + 1 != node) {
    starts_.back() |= std::uint64_t{1} << node % 64;
    runs_.push_back({.parent = parent, .first = node, .depth = depth(parent) + 1});
    index_.find(code, parent) = node;
  }
  codes_.push_back(id);
  return node;
}

}  // namespace memprof::analysis
