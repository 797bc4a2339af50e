// SPDX-License-Identifier: MIT
/// \file
/// The children of each node of a tree, from the parents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memprof::analysis {

/// 0 is the root, which is no node's child. At first children are in the order of their numbers.
class child_lists {
 public:
  child_lists() = default;
  ///  - `parent(i)`: of the nodes from 1 to size - 1.
  template <class Parent>
  child_lists(std::size_t size, Parent&& parent) : first_(size + 1), children_(size - 1) {
    for (std::uint32_t i = 1; i < size; ++i) ++first_[parent(i) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 1; i < size; ++i) children_[next[parent(i)]++] = i;
  }
  [[nodiscard]] std::span<std::uint32_t const> of(std::uint32_t i) const {
    return std::span(children_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  /// May be put into another order.
  [[nodiscard]] std::span<std::uint32_t> of(std::uint32_t i) {
    return std::span(children_).subspan(first_[i], first_[i + 1] - first_[i]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> children_;
};

}  // namespace memprof::analysis
