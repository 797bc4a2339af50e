// SPDX-License-Identifier: MIT
//
// limit_memory: each block is charged to the task that allocated it, and comes off that task,
// whoever frees it and whenever.

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("memory: a block freed by another thread comes off its owner", "[limits][memory]") {
  exactly fixture;
  for (bool freed : {true, false}) {
    auto const r = limit_memory(10_kw, [&] {
      holder first;
      first.fill(6_kw);
      if (freed) in_thread([&] { first.clear(); });
      holder second;
      second.fill(6_kw);
    });
    CAPTURE(freed);
    CHECK(r.has_value() == freed);
  }
}

TEST_CASE("memory: another thread's blocks, freed here, are not this task's gain",
          "[limits][memory]") {
  exactly fixture;
  holder others;
  in_thread([&] { others.fill(8_kw); });
  auto const r = limit_memory(10_kw, [&] {
    holder mine;
    mine.fill(6_kw);
    others.clear();
    mine.fill(12_kw);
  });
  CHECK_FALSE(r);
}

TEST_CASE("memory: blocks may outlive their task, and be freed by anybody later",
          "[limits][memory]") {
  exactly fixture;
  holder kept;
  holder kept_too;
  CHECK(limit_memory(10_kw, [&] {
    kept.fill(6_kw);
    kept_too.fill(3_kw);
  }));
  in_thread([&] { kept_too.clear(); });
  // The next task has the same frame on the stack; the old blocks are not its own.
  auto const r = limit_memory(10_kw, [&] {
    holder mine;
    mine.fill(6_kw);
    kept.clear();
    mine.fill(12_kw);
  });
  CHECK_FALSE(r);
}

TEST_CASE("memory: blocks kept by an interrupted task can be freed, too", "[limits][memory]") {
  exactly fixture;
  for (int i = 0; i < 100; ++i) {
    holder kept;
    auto const r = limit_memory(1_kw, [&] { kept.fill(2_kw); });
    REQUIRE_FALSE(r);
    REQUIRE(kept.held() > 900_w);
  }
}

TEST_CASE("memory, D-10: a child thread's blocks are not charged to the parent",
          "[limits][memory]") {
  exactly fixture;
  holder childs;
  CHECK(limit_memory(10_kw, [&] { in_thread([&] { childs.fill(50_kw); }); }));
}

}  // namespace
}  // namespace memprof::test
