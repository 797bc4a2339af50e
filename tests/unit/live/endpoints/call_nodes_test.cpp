// SPDX-License-Identifier: MIT
#include "endpoints/call_nodes.hpp"

#include <array>

#include "memprof/process.hpp"

#include "support/catch2.hpp"

using namespace memprof::endpoints;

namespace {

// Addresses that no module covers: each is a function by itself, "0x<address - 1>".
constexpr std::array<std::uintptr_t, 3> abc{3, 2, 1};  // innermost first: main is 1
constexpr std::array<std::uintptr_t, 2> ab{2, 1};
constexpr std::array<std::uintptr_t, 3> adc{3, 4, 1};

called_code named() {
  called_code code;
  for (const std::span<std::uintptr_t const> s :
       {std::span<std::uintptr_t const>(abc), std::span<std::uintptr_t const>(adc)})
    code.add(s);
  code_names names;
  code.find_names(names);
  return code;
}

}  // namespace

TEST_CASE("call nodes: stacks share their outer calls") {
  const called_code code = named();
  call_nodes tree(code);
  CHECK(tree.node_of(abc) == 3);
  CHECK(tree.node_of(ab) == 2);
  CHECK(tree.node_of(adc) == 5);
  CHECK(tree.node_of(abc) == 3);
  CHECK(tree.parents() == std::vector<std::uint32_t>{0, 0, 1, 2, 1, 4});
  CHECK(tree.frames() == std::vector<std::uint32_t>{0, 0, 1, 2, 3, 2});
  const std::string tables = tree.tables_as_json();
  CHECK(tables.starts_with(R"("functions":["0","0x1","0x2","0x3"],"files":[""],"modules":["",)"));
  CHECK(tables.ends_with(
      R"("frames":[[0,0,0,0,0,2,0],[1,0,0,0,0,2,0],[2,0,0,0,0,2,0],[3,0,0,0,0,2,0]])"));
}

TEST_CASE("call nodes: a stack that is not known has a node, too") {
  const called_code code = named();
  call_nodes tree(code);
  CHECK(tree.node_of({}) == 1);
  CHECK(tree.node_of({}) == 1);
  CHECK(tree.parents() == std::vector<std::uint32_t>{0, 0});
  CHECK(tree.tables_as_json().find("(stack unknown)") != std::string::npos);
}

TEST_CASE("call nodes: a tree that is full has one node for what is left out") {
  const called_code code = named();
  call_nodes tree(code, 3);
  CHECK(tree.node_of(ab) == 2);
  const std::uint32_t rest = tree.node_of(abc);
  CHECK(rest == 3);
  CHECK(tree.parents()[rest] == 2);
  CHECK(tree.node_of(abc) == rest);
  CHECK(tree.parents()[tree.node_of(adc)] == 1);
  CHECK(tree.tables_as_json().find("(calls left out)") != std::string::npos);
}

TEST_CASE("call nodes: functions of this library are left out") {
  // Somewhere in a public function of ours, called by 1, and calling 3.
  const auto ours = reinterpret_cast<std::uintptr_t>(&memprof::counters) + 2;
  const std::array<std::uintptr_t, 3> through_ours{3, ours, 1};
  const std::array<std::uintptr_t, 1> ours_alone{ours};
  called_code code;
  code.add(through_ours);
  code_names names;
  code.find_names(names);
  REQUIRE(code.name(code.index_of(ours)).find("memprof::v0::counters") != std::string::npos);
  call_nodes tree(code);
  CHECK(tree.node_of(through_ours) == 2);
  CHECK(tree.parents() == std::vector<std::uint32_t>{0, 0, 1});
  CHECK(tree.node_of(ours_alone) == 3);
  const std::string tables = tree.tables_as_json();
  CHECK(tables.starts_with(R"x("functions":["0","0x2","(stack unknown)"])x"));
}
