// SPDX-License-Identifier: MIT
//
// The work of the server example, interrupted at each point: expressions, and the list of tasks,
// which outlives every request.
#include <string>

#include "memprof/memprof.hpp"

#include "server/evaluate.hpp"
#include "server/task_registry.hpp"
#include "support/catch2.hpp"

namespace memprof::test {
namespace {

using testing::for_each_interrupt;
using testing::interruption;

TEST_CASE("examples: server: expressions are parsed, evaluated and described", "[testing]") {
  for (char const* text : {"2^1000 - 30! / 7", "sum(i = 1..4, prod(j = 1..i, i^40 + j))",
                           "-(12345678901234567890123456789012345678901234567890 % 97)"}) {
    auto const expected = example::server::answer_to(text);
    example::server::answer found;
    auto const r = for_each_interrupt(
        [&] {
          found = {};
          found = example::server::answer_to(text);
        },
        [&](interruption const& run) {
          return !run.completed() ||
                 (found.decimal == expected.decimal && found.residue == expected.residue);
        });
    INFO(r.message());
    CHECK(r.ok());
    CHECK(r.complete());
    CHECK(r.delivered > 5);
  }
}

TEST_CASE("examples: server: a request at fault is answered as such, or interrupted", "[testing]") {
  auto const r = for_each_interrupt(
      [] {
        try {
          static_cast<void>(example::server::answer_to("2^100 / (sum(i = 1..3, i) - 6)"));
        } catch (example::server::bad_expression const&) {
        }
      },
      [] {});
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.delivered > 5);
}

TEST_CASE("examples: server: the list of tasks stays whole", "[testing]") {
  token const shutdown;
  example::server::task_registry tasks(2, shutdown);
  auto const r = for_each_interrupt(
      [&] {
        auto const first = tasks.add("an expression that does not fit into the string itself");
        auto const second = tasks.add("another that does not fit into the string itself");
        if (tasks.list().size() == 2) {
          tasks.cancel(second->id(), "a reason that does not fit into the string itself");
        }
      },
      // No task is left in it, its mutex is free, and there is room for as many as before.
      [&] {
        if (tasks.size() != 0 || !tasks.list().empty()) return false;
        auto const a = tasks.add("a");
        auto const b = tasks.add("b");
        return a && b && !tasks.add("c") && tasks.cancel(a->id(), "over") && a->token().is_set() &&
               !b->token().is_set();
      });
  INFO(r.message());
  CHECK(r.ok());
  CHECK(r.complete());
  CHECK(r.delivered > 8);
}

}  // namespace
}  // namespace memprof::test
