// SPDX-License-Identifier: MIT
#include "export/json_tree.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/usage_builder.hpp"
#include "support/catch2.hpp"
#include "unit/offline/analysis/random_stacks.hpp"

namespace analysis = memprof::analysis;
namespace exports = memprof::exports;

namespace {

analysis::usage read(memprof::test::random_stacks const& how) {
  auto reader = memprof::test::read_random_stacks(how);
  analysis::usage_builder builder(reader.info(), {});
  for (memprof::trace::event e; reader.next(e);) builder.add(e, reader);
  return builder.finish();
}

template <class... Of>
std::string text_of(Of const&... of) {
  std::string text;
  exports::write_json_tree(of..., [&](std::string_view part) { text += part; });
  return text;
}

/// The folded stacks that the tree is of, those of one function, too. Checks that no node is
/// without samples.
std::string folded(nlohmann::json const& root) {
  std::string lines;
  std::vector<std::pair<nlohmann::json const*, std::string>> left{{&root, ""}};
  while (!left.empty()) {
    const auto [node, path] = left.back();
    left.pop_back();
    auto own = node->at("samples").get<std::uint64_t>();
    REQUIRE((own > 0 || node == &root));
    if (node->contains("children")) {
      auto const& children = node->at("children");
      REQUIRE(!children.empty());
      for (std::size_t i = children.size(); i-- > 0;) {
        REQUIRE(children[i].at("samples") <= own);
        own -= children[i].at("samples").get<std::uint64_t>();
        const auto name = children[i].at("name").get<std::string>();
        left.emplace_back(&children[i], path.empty() ? name : path + ';' + name);
      }
    }
    if (own > 0 && node != &root) lines += path + ' ' + std::to_string(own) + '\n';
  }
  return lines;
}

}  // namespace

TEST_CASE("JSON of trees: the folded stacks, of a tree and of stacks alike") {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    const analysis::usage u = read({.seed = seed,
                                    .blocks = 300,
                                    .domains = 1 + seed % 3,
                                    .depth = 2 + seed,
                                    .codes = 2 + seed % 15});
    INFO("seed " << seed);
    for (const bool fold : {false, true}) {
      const analysis::call_tree_options o{.fold_recursion = fold};
      const analysis::call_tree tree(u, o);
      std::string lines;
      analysis::write_folded(tree, u.info, {.short_paths = true},
                             [&](std::string_view text) { lines += text; });
      const std::string text = text_of(tree);
      const auto json = nlohmann::json::parse(text);
      REQUIRE(!lines.empty());
      REQUIRE(folded(json) == lines);
      REQUIRE(json.at("name") == "all");
      REQUIRE(json.at("samples") == tree.nodes()[0].total);
      if (!fold) REQUIRE(text_of(u, o) == text);
    }
  }
}

TEST_CASE("JSON of trees: a node a line, and the root alone if there are no samples") {
  const analysis::usage u = read({.blocks = 50, .depth = 5, .codes = 3});
  const analysis::call_tree_options o{.fold_recursion = false};
  const analysis::call_tree tree(u, o);
  std::size_t lines = 1;
  for (const char c : text_of(u, o)) lines += c == '\n' ? 1 : 0;
  CHECK(lines == tree.nodes().size());
  const analysis::usage none = read({.blocks = 0});
  CHECK(text_of(none, o) == R"({"name":"all","samples":0})");
  CHECK(text_of(analysis::call_tree(none, o)) == R"({"name":"all","samples":0})");
}
