// SPDX-License-Identifier: MIT
//
// is_interrupted and cancellation_point.
#include <optional>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("F1: false outside limits, and in other threads of an interrupted task",
          "[limits][is_interrupted]") {
  exactly fixture;
  CHECK_FALSE(is_interrupted());
  for (auto kind : all_kinds) {
    std::optional<bool> at_start, here, in_child, in_childs_task;
    auto const r = run_hit(kind, [&] {
      try {
        churn(2_kw);
      } catch (limit_exceeded const&) {
        here = is_interrupted();
      }
      in_child = in_thread([] { return is_interrupted(); });
      in_childs_task =
          in_thread([] { return limit_memory(1_Mw, [] { return is_interrupted(); }).value(); });
    });
    static_cast<void>(run_limited(with_room(kind), [&] { at_start = is_interrupted(); }));
    CAPTURE(to_string(kind));
    CHECK_FALSE(r);
    CHECK(here == true);
    CHECK(in_child == false);
    CHECK(in_childs_task == false);
    CHECK(at_start == false);
    CHECK_FALSE(is_interrupted());
  }
}

TEST_CASE("F2: true from the moment the limit was hit, before anything was raised",
          "[limits][is_interrupted]") {
  exactly fixture;
  for (auto kind : {limit_kind::token, limit_kind::deadline}) {
    bool seen = false;
    static_cast<void>(run_hit(kind, [&] { seen = is_interrupted(); }));
    CAPTURE(to_string(kind));
    CHECK(seen);
  }
  token stop;
  bool before = true;
  bool after = false;
  static_cast<void>(limit_with_token(stop, [&] {
    static_cast<void>(limit_memory(1_Mw, [&] {  // of an enclosing scope
      before = is_interrupted();
      stop.set();
      after = is_interrupted();
    }));
  }));
  CHECK_FALSE(before);
  CHECK(after);

  for (auto kind : {limit_kind::allocations, limit_kind::memory, limit_kind::global_memory}) {
    bool clear = true;
    bool hit = false;
    static_cast<void>(run_hit(kind, [&] {
      masked_scope const mask;
      clear = is_interrupted();
      churn(2_kw);
      hit = is_interrupted();
    }));
    CAPTURE(to_string(kind));
    if (kind != limit_kind::global_memory) CHECK_FALSE(clear);
    CHECK(hit);
  }
}

TEST_CASE("F3: a release knows whether an interrupt ends its scope", "[limits][is_interrupted]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    std::optional<bool> normal_end, by_exception, by_interrupt;
    auto const with = [](std::optional<bool>& seen, auto scope) {
      with_resource([] { return 1; }, [&](int&) { scope(); },
                    [&](int&) noexcept { seen = is_interrupted(); });
    };
    static_cast<void>(run_limited(with_room(kind), [&] {
      with(normal_end, [] { churn(2_kw); });
      try {
        with(by_exception, [] { throw 1; });
      } catch (int) {
      }
    }));
    auto const r = run_hit(kind, [&] { with(by_interrupt, [] { churn(2_kw); }); });
    CAPTURE(to_string(kind));
    CHECK_FALSE(r);
    CHECK(normal_end == false);
    CHECK(by_exception == false);
    CHECK(by_interrupt == true);
  }
}

TEST_CASE("F4: false again once the inner limit that was hit returned",
          "[limits][is_interrupted]") {
  exactly fixture;
  for (auto kind :
       {limit_kind::allocations, limit_kind::memory, limit_kind::token, limit_kind::deadline}) {
    std::optional<bool> inner_error, outside;
    auto const outer = limit_allocations(1_Mw, [&] {
      inner_error = !run_hit(kind, [] { churn(2_kw); }).has_value();
      outside = is_interrupted();
    });
    CAPTURE(to_string(kind));
    CHECK(outer);
    CHECK(inner_error == true);
    CHECK(outside == false);
  }
  // Unless the outer is hit, too (E2).
  token stop;
  bool outside = false;
  static_cast<void>(limit_with_token(stop, [&] {
    static_cast<void>(limit_with_token(stop, [&] {
      stop.set();
      churn(2_kw);
    }));
    outside = is_interrupted();
  }));
  CHECK(outside);
}

TEST_CASE("F5: a catch-all guarded by is_interrupted never keeps an interrupt",
          "[limits][is_interrupted]") {
  with_seed fixture(5);
  int delivered = 0;
  for (int i = 0; i < 100; ++i) {
    int kept = 0;
    auto const r = limit_allocations(50_kw, [&] {
      for (int attempt = 0; attempt < 1000; ++attempt) {  // retries for ever
        try {
          churn(5_kw);
          throw attempt;
        } catch (...) {
          if (is_interrupted()) throw;
          try {
            throw;
          } catch (int) {
          } catch (...) {
            ++kept;
          }
        }
      }
    });
    REQUIRE_FALSE(r);
    REQUIRE(kept == 0);
    // The limit may also be hit by the memory of `attempt` itself, some 20 words of 5000: then that
    // ends the task. More than 20 times of 100 that happens once in 1e25.
    REQUIRE(r.error().deliveries() <= 1);
    delivered += r.error().deliveries() == 1 ? 1 : 0;
  }
  CHECK(delivered >= 80);
}

TEST_CASE("cancellation_point raises what is pending, and nothing otherwise",
          "[limits][is_interrupted]") {
  exactly fixture;
  cancellation_point();  // outside limits: nothing
  for (auto kind : all_kinds) {
    CAPTURE(to_string(kind));
    CHECK(run_limited(with_room(kind), [] { cancellation_point(); }));
    bool charged = false;
    bool survived = false;
    auto const r = run_hit(kind, [&] {
      {
        masked_scope const mask;
        churn(2_kw);
        cancellation_point();
        charged = true;
      }
      cancellation_point();
      survived = true;
    });
    REQUIRE_FALSE(r);
    CHECK(charged);
    CHECK_FALSE(survived);
    CHECK(r.error().kind() == kind);
    CHECK(r.error().deliveries() == 1);
  }
}

TEST_CASE("cancellation_point sees the global limit without any allocation",
          "[limits][is_interrupted]") {
  exactly fixture;
  holder heap;
  heap.fill(1_Mw, 80'000);
  bool survived = false;
  auto const r = limit_global_memory([&] {
    set_global_memory_limit(live_major_memory().value / 2);
    cancellation_point();
    survived = true;
  });
  REQUIRE_FALSE(r);
  CHECK_FALSE(survived);
}

}  // namespace
}  // namespace memprof::test
