// SPDX-License-Identifier: MIT
#include "analysis/stack_chains.hpp"

#include <map>
#include <vector>

#include "support/catch2.hpp"
#include "unit/offline/analysis/random_stacks.hpp"

using namespace memprof;
using namespace memprof::analysis;

TEST_CASE("chains cover a tree once, and end where it branches and at the nodes of interest") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    trace::reader reader = test::read_random_stacks({.seed = seed, .codes = 1 + seed % 5});
    stack_tree tree;
    code_table codes;
    std::vector<stack_tree::node_id> ends;
    for (trace::event e; reader.next(e);) ends.push_back(tree.add(e, codes, reader));
    const stack_chains chains(tree, ends);

    for (const stack_tree::node_id node : ends) {
      REQUIRE(chains[chains.ending_at(node)].last == node);
    }
    stack_tree::node_id next = 0;
    std::map<stack_tree::node_id, stack_chains::id> of_node;
    for (stack_chains::id i = 0; i < chains.size(); ++i) {
      REQUIRE(chains[i].first == next);
      next = chains[i].last + 1;
      for (auto n = chains[i].first; n <= chains[i].last; ++n) of_node[n] = i;
      if (i == 0) continue;
      REQUIRE(chains[i].parent < i);
      REQUIRE(tree.parent(chains[i].first) == chains[chains[i].parent].last);
      for (auto n = chains[i].first + 1; n <= chains[i].last; ++n) REQUIRE(tree.parent(n) == n - 1);
    }
    CHECK(next == tree.size());

    // Each chain is entered when its parent is, and only its ancestors are then open.
    std::vector<stack_chains::id> open{0}, entered;
    chains.walk(
        [&](stack_chains::id i) {
          REQUIRE(open.back() == chains[i].parent);
          open.push_back(i);
          entered.push_back(i);
        },
        [&](stack_chains::id i) {
          REQUIRE(open.back() == i);
          open.pop_back();
        });
    CHECK(open.size() == 1);
    std::ranges::sort(entered);
    REQUIRE(entered.size() == chains.size() - 1);
    for (std::size_t i = 0; i < entered.size(); ++i) CHECK(entered[i] == i + 1);
  }
}
