// SPDX-License-Identifier: MIT
#include "export/folded.hpp"

#include <cstdint>
#include <map>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/usage_builder.hpp"
#include "export/names.hpp"
#include "support/catch2.hpp"
#include "unit/offline/analysis/random_stacks.hpp"

namespace analysis = memprof::analysis;
namespace exports = memprof::exports;

namespace {

/// Line by line, in a map.
std::string expected(analysis::usage const& u) {
  std::map<std::string, std::uint64_t> sums;
  for (analysis::usage_row const& r : u.rows) {
    std::vector<std::string> texts;
    for (auto n = r.stack; n != analysis::stack_tree::root; n = u.stacks.parent(n)) {
      texts.push_back(exports::functions_text(u.stacks.code(n), u.codes));
    }
    std::string line = texts.empty() ? "(no backtrace)" : "";
    for (std::string const& text : std::views::reverse(texts)) {
      line += (line.empty() ? "" : ";") + text;
    }
    sums[line] += r.sums.allocated.samples;
  }
  std::string all;
  for (auto const& [line, samples] : sums) all += line + ' ' + std::to_string(samples) + '\n';
  return all;
}

}  // namespace

TEST_CASE("folded export: the lines of all stacks, sorted by their bytes, each once") {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    // Names of which some begin others: f1 and f10 to f19.
    auto reader = memprof::test::read_random_stacks({.seed = seed,
                                                     .blocks = 300,
                                                     .domains = 1 + seed % 3,
                                                     .depth = seed,
                                                     .codes = 2 + seed % 15});
    analysis::usage_builder builder(reader.info(), {});
    for (memprof::trace::event e; reader.next(e);) builder.add(e, reader);
    const analysis::usage u = builder.finish();
    std::ostringstream out;
    exports::write_folded(out, u);
    INFO("seed " << seed);
    REQUIRE(out.str() == expected(u));
  }
}
