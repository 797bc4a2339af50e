// SPDX-License-Identifier: MIT
#include "page_server/frame_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/writer.hpp"

#include "analysis/trace_source.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::page_server;

namespace {

using stack = std::vector<std::string>;

/// An index of blocks that random recursion through four functions allocated, and their stacks.
struct recursion {
  analysis::trace_index index;
  std::vector<stack> stacks;
};

recursion random_recursion(unsigned blocks, std::size_t most_depth) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("memprof-frame-tree-" + std::to_string(::getpid()) + ".ctf");
  const std::vector<std::string> names{"main", "a", "b", "c", "d"};
  trace::location position;
  trace::writer to(file, {}, [&](trace::location_code code) {
    position = {.filename = "f.cpp", .defname = names[code - 1]};
    return std::span<trace::location const>(&position, 1);
  });
  std::mt19937 random(7);
  recursion made;
  for (unsigned i = 0; i < blocks; ++i) {
    std::vector<trace::location_code> codes{1};
    const std::size_t depth = 1 + random() % most_depth;
    while (codes.size() < depth) codes.push_back(2 + random() % 4);
    to.allocation(std::chrono::microseconds{i}, trace::heap::major, 1, 1, codes);
    stack& s = made.stacks.emplace_back();
    for (auto const code : codes) s.push_back(names[code - 1]);
  }
  to.close();
  analysis::trace_source source(file.string(), false);
  made.index = analysis::trace_index(source, nullptr);
  std::filesystem::remove(file);
  return made;
}

stack stack_of(frame_tree const& tree, std::uint32_t node) {
  stack path;
  for (; node != 0; node = tree.parents[node]) {
    path.push_back(tree.functions.text(tree.table[tree.frames[node]][0].get<std::uint32_t>()));
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace

TEST_CASE("a tree that is small enough has whole stacks") {
  const recursion made = random_recursion(300, 200);
  const frame_tree tree(made.index);
  CHECK(tree.ends() == 0);
  for (std::size_t i = 0; i < made.stacks.size(); ++i) {
    REQUIRE(stack_of(tree, tree.node_of(made.index.objects().stack[i])) == made.stacks[i]);
  }
}

TEST_CASE("of deep stacks that are all different, both ends stay") {
  const recursion made = random_recursion(300, 1000);
  std::set<std::uint32_t> seen;
  for (const std::size_t most : {100'000u, 30'000u, 15'000u}) {
    const frame_tree tree(made.index, most);
    INFO("at most " << most << ", ends of " << tree.ends());
    CHECK(tree.parents.size() <= most + 1);
    const std::size_t ends = tree.ends();
    REQUIRE(ends > 0);
    CHECK(seen.insert(tree.ends()).second);
    std::size_t cut = 0;
    for (std::size_t i = 0; i < made.stacks.size(); ++i) {
      stack expected = made.stacks[i];
      if (expected.size() > 2 * ends) {
        expected.erase(expected.begin() + static_cast<long>(ends),
                       expected.end() - static_cast<long>(ends));
        expected.insert(expected.begin() + static_cast<long>(ends),
                        std::string(frame_tree::left_out));
        ++cut;
      }
      REQUIRE(stack_of(tree, tree.node_of(made.index.objects().stack[i])) == expected);
    }
    CHECK(cut > 100);
  }
  // However little room there is.
  CHECK(frame_tree(made.index, 10).ends() == frame_tree::least_ends);
}
