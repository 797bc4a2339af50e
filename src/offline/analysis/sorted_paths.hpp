// SPDX-License-Identifier: MIT
/// \file
/// The paths of names in a profile, in the order of a tree's nodes, without the tree.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/stack_order.hpp"
#include "analysis/usage.hpp"

namespace memprof::analysis {

/// Depth first, children by name: as `call_tree` without folded recursion has them.
///
/// \note Memory: nothing for a call.
class sorted_paths {
 public:
  /// Stacks with the same names are one path; `stack` is any of them.
  struct path {
    stack_tree::node_id stack;
    std::uint64_t samples;  ///< not 0
  };

  /// Refers to `u`.
  ///
  /// \param unknown codes without a name appear as "0x<code>"; else they are left out.
  sorted_paths(usage const& u, bool unknown, measure value);
  sorted_paths(sorted_paths const&) = delete;
  sorted_paths& operator=(sorted_paths const&) = delete;

  [[nodiscard]] std::vector<path> const& all() const noexcept { return paths_; }
  [[nodiscard]] name_table const& names() const noexcept { return names_.texts; }
  /// f(id) for each name of a path, outermost first.
  template <class F>
  void for_each_name(path const& p, F&& f) {
    order_.for_each_name(p.stack, std::forward<F>(f));
  }

 private:
  stack_names names_;
  stack_order order_;
  std::vector<path> paths_;
};

}  // namespace memprof::analysis
