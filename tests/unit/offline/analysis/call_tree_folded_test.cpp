// SPDX-License-Identifier: MIT
#include "analysis/call_tree_folded.hpp"

#include <string>
#include <utility>

#include "analysis/usage_builder.hpp"
#include "support/catch2.hpp"
#include "unit/offline/analysis/random_stacks.hpp"

namespace analysis = memprof::analysis;

namespace {

analysis::usage read(memprof::test::random_stacks const& how) {
  auto reader = memprof::test::read_random_stacks(how);
  analysis::usage_builder builder(reader.info(), {});
  for (memprof::trace::event e; reader.next(e);) builder.add(e, reader);
  return builder.finish();
}

}  // namespace

TEST_CASE("folded stacks: with recursion as those of a tree that has it") {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    // Names of which some begin others: f1 and f10 to f19.
    const analysis::usage u = read({.seed = seed,
                                    .blocks = 300,
                                    .domains = 1 + seed % 3,
                                    .depth = 2 + seed,
                                    .codes = 2 + seed % 15});
    for (const bool short_paths : {false, true}) {
      const analysis::call_tree_options whole{.fold_recursion = false};
      const analysis::folded_options o{.unit_bytes = seed % 2 == 0, .short_paths = short_paths};
      std::string of_tree;
      std::string of_stacks;
      analysis::write_folded(analysis::call_tree(u, whole), u.info, o,
                             [&](std::string_view text) { of_tree += text; });
      analysis::write_folded(u, whole, o, [&](std::string_view text) { of_stacks += text; });
      INFO("seed " << seed);
      REQUIRE(!of_tree.empty());
      REQUIRE(of_stacks == of_tree);
    }
  }
}
