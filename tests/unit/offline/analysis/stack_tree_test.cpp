// SPDX-License-Identifier: MIT
#include "analysis/stack_tree.hpp"

#include <map>
#include <vector>

#include "support/catch2.hpp"
#include "unit/offline/analysis/random_stacks.hpp"

using namespace memprof;
using namespace memprof::analysis;

TEST_CASE("a stack tree has a node for each different beginning of a backtrace") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    trace::reader reader =
        test::read_random_stacks({.seed = seed, .domains = 1 + seed % 3, .codes = 1 + seed % 5});
    stack_tree tree;
    code_table codes;
    std::map<std::vector<trace::location_code>, stack_tree::node_id> expected{{{}, 0}};
    for (trace::event e; reader.next(e);) {
      const stack_tree::node_id node = tree.add(e, codes, reader);
      std::vector<trace::location_code> path(e.backtrace.begin(), e.backtrace.end());
      // From this node up to the root: the codes, the depths, and always the same nodes.
      auto at = node;
      for (;; path.pop_back(), at = tree.parent(at)) {
        REQUIRE(expected.try_emplace(path, at).first->second == at);
        REQUIRE(tree.depth(at) == path.size());
        if (path.empty()) break;
        REQUIRE(tree.parent(at) < at);
        REQUIRE(codes.code(tree.code(at)) == path.back());
      }
      CHECK(at == stack_tree::root);
    }
    CHECK(tree.size() == expected.size());
    CHECK(tree.size() > 30);  // of one code, a chain of 30 calls
  }
}
