// SPDX-License-Identifier: MIT
#include "analysis/call_tree.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "analysis/stack_chains.hpp"

namespace memprof::analysis {

class call_tree::builder {
 public:
  builder(call_tree& t, usage const& u, call_tree_options const& o) : t_(t), u_(u), o_(o) {
    // Ids of this tree's names are those of the codes' functions, then the unknown ones.
    for (name_table::id i = 0; i < u.codes.functions().size(); ++i) {
      t_.names_.intern(u.codes.functions().text(i));
    }
  }

  void from_main() {
    const stack_chains chains(u_.stacks, u_.stacks_of_rows());
    std::vector<std::uint32_t> active;       // how often a function is on the path
    std::vector<node_id> at(chains.size());  // where each chain ends
    t_.nodes_[0].own += own(0);
    chains.walk(
        [&](stack_chains::id i) {
          node_id here = at[chains[i].parent];
          for_each_name(chains[i], [&](name_table::id name) {
            active.resize(std::max<std::size_t>(active.size(), name + 1));
            if (active[name]++ == 0 || !o_.fold_recursion) here = below(here, name);
          });
          at[i] = here;
          t_.nodes_[here].own += own(chains[i].last);
        },
        [&](stack_chains::id i) {
          for_each_name(chains[i], [&](name_table::id name) { --active[name]; });
        });
  }

  void from_allocator() {
    std::vector<std::uint32_t> seen;  // leaf at which a function was last met, + 1
    std::vector<name_table::id> of_code;
    t_.nodes_[0].own += own(0);
    std::vector<stack_tree::node_id> leaves = u_.stacks_of_rows();
    std::ranges::sort(leaves);
    for (const stack_tree::node_id leaf : leaves) {
      if (leaf == stack_tree::root || u_.own(leaf).allocated.blocks == 0) continue;
      node_id here = 0;
      std::size_t depth = 0;
      bool whole = true;
      for (auto s = leaf; s != stack_tree::root && whole; s = u_.stacks.parent(s)) {
        of_code.clear();
        for_each_name(u_.stacks.code(s), [&](name_table::id name) { of_code.push_back(name); });
        for (auto name = of_code.rbegin(); name != of_code.rend(); ++name) {
          seen.resize(std::max<std::size_t>(seen.size(), *name + 1));
          if (o_.fold_recursion && seen[*name] == leaf) continue;
          whole = o_.depth == 0 || depth < o_.depth;
          if (!whole) break;
          seen[*name] = leaf;
          here = below(here, *name);
          ++depth;
        }
      }
      // Its callers that are too deep are cut off, not the end of the path.
      (whole ? t_.nodes_[here].own : t_.nodes_[here].total) += own(leaf);
    }
  }

  void add_totals() {
    for (node& n : t_.nodes_) n.total += n.own;
    for (std::size_t i = t_.nodes_.size() - 1; i > 0; --i) {
      t_.nodes_[t_.nodes_[i].parent].total += t_.nodes_[i].total;
    }
  }

  /// The deeper nodes' amounts stay in the totals of those above them.
  void cut() {
    if (o_.depth == 0) return;
    std::vector<node> kept;
    std::vector<node_id> to(t_.nodes_.size());
    std::vector<std::size_t> depths(t_.nodes_.size());
    for (std::size_t i = 0; i < t_.nodes_.size(); ++i) {
      node const& n = t_.nodes_[i];
      if (i > 0) depths[i] = depths[n.parent] + 1;
      if (depths[i] > o_.depth) {
        to[i] = to[n.parent];
      } else {
        to[i] = static_cast<node_id>(kept.size());
        kept.push_back(n);
        kept.back().parent = i == 0 ? 0 : to[n.parent];
      }
    }
    t_.nodes_ = std::move(kept);
  }

 private:
  [[nodiscard]] std::uint64_t own(stack_tree::node_id stack) const {
    return amount_of(u_.own(stack), o_.value).samples;
  }

  template <class F>
  void for_each_name(code_table::id code, F&& f) {
    for (frame const& l : u_.codes.frames(code)) f(l.function);
    if (!o_.unknown || u_.codes.is_known(code)) return;
    std::uint32_t& place = unknown_.find(u_.codes.code(code));
    if (place == flat_index::none) {
      place = t_.names_.intern(fmt::format("{:#x}", u_.codes.code(code)));
    }
    f(place);
  }
  template <class F>
  void for_each_name(stack_chains::chain const& c, F&& f) {
    for (auto n = c.first; n <= c.last; ++n) for_each_name(u_.stacks.code(n), f);
  }

  node_id below(node_id parent, name_table::id name) {
    std::uint32_t& place = index_.find(parent, name);
    if (place == flat_index::none) {
      place = static_cast<std::uint32_t>(t_.nodes_.size());
      t_.nodes_.push_back({.parent = parent, .function = name});
    }
    return place;
  }

  call_tree& t_;
  usage const& u_;
  call_tree_options o_;
  flat_index index_, unknown_;
};

call_tree::call_tree(usage const& u, call_tree_options const& options) {
  builder b(*this, u, options);
  if (options.from_allocator) {
    b.from_allocator();
  } else {
    b.from_main();
  }
  b.add_totals();
  if (!options.from_allocator) b.cut();
}

child_lists call_tree::children_by_name() const {
  // Ranks of names, so that each is compared once and not at each node.
  std::vector<name_table::id> by_name(names_.size());
  for (name_table::id i = 0; i < by_name.size(); ++i) by_name[i] = i;
  std::sort(by_name.begin(), by_name.end(),
            [&](auto a, auto b) { return names_.text(a) < names_.text(b); });
  std::vector<std::uint32_t> rank(by_name.size());
  for (std::uint32_t i = 0; i < by_name.size(); ++i) rank[by_name[i]] = i;
  child_lists children(nodes_.size(), [&](node_id i) { return nodes_[i].parent; });
  for (node_id i = 0; i < nodes_.size(); ++i) {
    std::ranges::sort(children.of(i), {}, [&](node_id c) { return rank[nodes_[c].function]; });
  }
  return children;
}

}  // namespace memprof::analysis
