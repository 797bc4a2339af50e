// SPDX-License-Identifier: MIT
//
// The result rule, the same for all kinds of limits: an error exactly if this limit was hit.
#include <chrono>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

struct task_failure : std::runtime_error {
  task_failure() : std::runtime_error("the task failed") {}
};

/// What came out of a task is a T.
template <class T>
bool holds(std::exception_ptr const& e) {
  if (!e) return false;
  try {
    std::rethrow_exception(e);
  } catch (T const&) {
    return true;
  } catch (...) {
    return false;
  }
}

TEST_CASE("the interrupt is a final bad_alloc", "[limits][result]") {
  STATIC_REQUIRE(std::is_base_of_v<std::bad_alloc, limit_exceeded>);
  STATIC_REQUIRE(std::is_final_v<limit_exceeded>);
  STATIC_REQUIRE(std::is_nothrow_copy_constructible_v<limit_exceeded>);
  STATIC_REQUIRE(std::is_nothrow_move_constructible_v<interrupted>);
  for (auto kind : all_kinds) {
    limit_exceeded const e(kind);
    CHECK(e.kind() == kind);
    CHECK(e.what() != nullptr);
    CHECK(std::string(e.what()) != std::string(std::bad_alloc().what()));
  }
  CHECK(to_string(limit_kind::allocations) == "allocations");
  CHECK(to_string(limit_kind::memory) == "memory");
  CHECK(to_string(limit_kind::global_memory) == "global memory");
  CHECK(to_string(limit_kind::token) == "token");
  CHECK(to_string(limit_kind::deadline) == "deadline");
}

TEST_CASE("B1: no limit hit, the value comes out", "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    auto const r = run_limited(with_room(kind), [] {
      churn(5_kw);
      return 42;
    });
    CAPTURE(to_string(kind));
    REQUIRE(r);
    CHECK(r->value == 42);
  }
  // And from each function by itself, void included.
  token const stop;
  std::stop_source source;
  set_global_memory_limit(max_allocation_limit);
  CHECK(limit_allocations(1_Mw, [] { return 1; }).value().value == 1);
  CHECK(limit_allocations(1_Mw, [] {}).has_value());
  CHECK(limit_memory(1_Mw, [] { return 2; }).value() == 2);
  CHECK(limit_memory(1_Mw, [] {}).has_value());
  CHECK(limit_global_memory([] { return 3; }).value() == 3);
  CHECK(limit_global_memory([] {}).has_value());
  CHECK(limit_with_token(stop, [] { return 4; }).value() == 4);
  CHECK(limit_with_token(source.get_token(), [] { return 5; }).value() == 5);
  CHECK(limit_time(24h, [] { return 6; }).value() == 6);
  CHECK(budget({.allocations = 1_Mw}).run([] { return 7; }).value().value == 7);
}

TEST_CASE("B2: no limit hit, the task's exception leaves unchanged", "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    auto const l = with_room(kind);
    CAPTURE(to_string(kind));
    CHECK_THROWS_AS(run_limited(l,
                                [] {
                                  churn(5_kw);
                                  throw task_failure();
                                }),
                    task_failure);
    // Even one that looks like an interrupt: the flag decides, not the type.
    CHECK_THROWS_AS(run_limited(l, [] { throw limit_exceeded(limit_kind::token); }),
                    limit_exceeded);
  }
}

TEST_CASE("B3: hit, and the interrupt escapes the task: error", "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    bool survived = false;
    auto const before = counters();
    auto const r = run_hit(kind, [&] {
      churn(2_kw);
      survived = true;
    });
    auto const after = counters();
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK_FALSE(survived);
    CHECK(r.error().kind() == kind);
    CHECK(r.error().started());
    CHECK(r.error().deliveries() == 1);
    CHECK(holds<limit_exceeded>(r.error().exception()));
    CHECK(after.interrupts[kind] == before.interrupts[kind] + 1);
  }
}

TEST_CASE("B4: swallowed, then normal return: error, value dropped", "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    int caught = 0;
    auto const r = run_hit(kind, [&] {
      try {
        churn(2_kw);
      } catch (std::bad_alloc const&) {
        ++caught;
      }
      return 42;
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(caught == 1);
    CHECK(r.error().kind() == kind);
    CHECK(r.error().deliveries() == 1);
    CHECK(r.error().exception() == nullptr);
  }
}

TEST_CASE("B5: hit, then another exception: error with the last exception", "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    CAPTURE(to_string(kind));
    auto const replaced_by = run_hit(kind, [] {
      try {
        churn(2_kw);
      } catch (std::bad_alloc const&) {
      }
      throw task_failure();
    });
    REQUIRE_FALSE(replaced_by);
    CHECK(replaced_by.error().kind() == kind);
    CHECK(holds<task_failure>(replaced_by.error().exception()));

    // A clean-up that wraps what it sees.
    auto const wrapped = run_hit(kind, [] {
      try {
        churn(2_kw);
      } catch (...) {
        std::throw_with_nested(task_failure());
      }
    });
    REQUIRE_FALSE(wrapped);
    CHECK(wrapped.error().deliveries() == 1);
    CHECK(holds<task_failure>(wrapped.error().exception()));
    CHECK(holds<std::nested_exception>(wrapped.error().exception()));
  }
}

// Differs from upstream 0.2.0, which drops the value, as `strict` does here.
TEST_CASE("B6: token or deadline passed, and no check saw it: the value is kept, unless strict",
          "[limits][result]") {
  exactly fixture;
  for (auto kind : {limit_kind::token, limit_kind::deadline}) {
    CAPTURE(to_string(kind));
    auto const kept = run_hit(kind, [] { return 42; });
    REQUIRE(kept);
    CHECK(kept->value == 42);

    auto const dropped = run_hit(kind, [] { return 42; }, {.strict = true});
    REQUIRE_FALSE(dropped);
    CHECK(dropped.error().kind() == kind);
    CHECK(dropped.error().started());
    CHECK(dropped.error().deliveries() == 0);
    CHECK(dropped.error().exception() == nullptr);
  }
}

TEST_CASE("B7: the same when the task throws: unchanged, unless strict", "[limits][result]") {
  exactly fixture;
  for (auto kind : {limit_kind::token, limit_kind::deadline}) {
    CAPTURE(to_string(kind));
    // The exception is allocated before, so no check sees the token or the deadline.
    token stop;
    auto const fail = [&] {
      try {
        throw 42;
      } catch (int) {
        if (kind == limit_kind::token) stop.set();
        if (kind == limit_kind::deadline)
          std::this_thread::sleep_for(std::chrono::milliseconds(25));
        throw;
      }
    };
    auto const run = [&](bool strict) {
      limits l{.strict = strict};
      if (kind == limit_kind::token) l.token = stop = token();
      if (kind == limit_kind::deadline) l.time = std::chrono::milliseconds(20);
      return run_limited(l, fail);
    };
    CHECK_THROWS_AS(run(false), int);

    auto const error = run(true);
    REQUIRE_FALSE(error);
    CHECK(error.error().kind() == kind);
    CHECK(error.error().deliveries() == 0);
    CHECK(holds<int>(error.error().exception()));
  }
}

TEST_CASE("token or deadline that a check saw, and that could not be delivered: an error",
          "[limits][result]") {
  exactly fixture;
  for (auto kind : {limit_kind::token, limit_kind::deadline}) {
    CAPTURE(to_string(kind));
    auto const hits = counters().hits[kind];
    auto const deferred = run_hit(kind, [] {
      []() noexcept { churn(50_kw); }();
      return 42;
    });
    REQUIRE_FALSE(deferred);
    CHECK(deferred.error().kind() == kind);
    CHECK(deferred.error().deliveries() == 0);
    CHECK(deferred.error().deferrals() > 0);
    CHECK(deferred.error().last_deferral() != nullptr);
    CHECK(deferred.error().exception() == nullptr);
    auto const thrown = run_hit(kind, [] {
      []() noexcept { churn(50_kw); }();
      throw 42;
    });
    REQUIRE_FALSE(thrown);
    CHECK(thrown.error().kind() == kind);
    CHECK(holds<int>(thrown.error().exception()));
    CHECK(counters().hits[kind] == hits + 2);
  }
}

TEST_CASE("strict changes nothing for a token or deadline that has not passed",
          "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    auto const r = run_limited(with_room(kind, {.strict = true}), [] { return 42; });
    CAPTURE(to_string(kind));
    CHECK(r);
  }
}

TEST_CASE("B8: after the limit function returned nothing is left of it", "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    auto const r = run_hit(kind, [] { churn(2_kw); });
    bool const still_interrupted = is_interrupted();
    set_global_memory_limit(std::nullopt);
    churn(50_kw);  // more than a grace, and no scope: would end the test
    cancellation_point();
    auto const again = run_limited(with_room(kind), [] { churn(50_kw); });
    CAPTURE(to_string(kind));
    CHECK_FALSE(r);
    CHECK_FALSE(still_interrupted);
    CHECK(again);
  }
}

}  // namespace
}  // namespace memprof::test
