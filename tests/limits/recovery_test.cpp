// SPDX-License-Identifier: MIT
//
// on_interrupt (rollback) and catch_all.
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("on_interrupt: runs f masked when an interrupt leaves the scope, for any kind",
          "[limits][on_interrupt]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    int runs = 0;
    bool masked = false;
    auto const r = run_hit(kind, [&] {
      on_interrupt const undo{[&]() noexcept {
        ++runs;
        masked = is_masked();
        churn(50_kw);  // more than any grace
      }};
      churn(2_kw);
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(runs == 1);
    CHECK(masked);
    CHECK(r.error().deliveries() == 1);
    CHECK_FALSE(is_masked());
  }
}

TEST_CASE("on_interrupt: not at a normal end, nor for other exceptions, nor when released",
          "[limits][on_interrupt]") {
  exactly fixture;
  int runs = 0;
  auto const count = [&]() noexcept { ++runs; };
  for (auto kind : all_kinds) {
    CAPTURE(to_string(kind));
    CHECK(run_limited(with_room(kind), [&] {
      on_interrupt const undo{count};
      churn(2_kw);
    }));
    CHECK_THROWS_AS(run_limited(with_room(kind),
                                [&] {
                                  on_interrupt const undo{count};
                                  throw 1;
                                }),
                    int);
    CHECK_FALSE(run_hit(kind, [&] {
      on_interrupt undo{count};
      undo.release();
      churn(2_kw);
    }));
    // Hit, but the scope ends normally; the next scope is the one that is torn.
    CHECK_FALSE(run_hit(kind, [&] {
      {
        masked_scope const mask;
        on_interrupt const undo{count};
        churn(2_kw);
      }
      churn(2_kw);
    }));
    // Swallowed inside.
    CHECK_FALSE(run_hit(kind, [&] {
      on_interrupt const undo{count};
      try {
        churn(2_kw);
      } catch (limit_exceeded const&) {
      }
    }));
  }
  CHECK(runs == 0);
}

TEST_CASE("on_interrupt: nested ones run innermost first; a replaced interrupt counts",
          "[limits][on_interrupt]") {
  exactly fixture;
  std::string order;
  order.reserve(16);
  auto const r = run_hit(limit_kind::token, [&] {
    on_interrupt const a{[&]() noexcept { order += 'a'; }};
    try {
      on_interrupt const b{[&]() noexcept { order += 'b'; }};
      churn(2_kw);
    } catch (...) {
      throw std::runtime_error("a wrapper's own");
    }
  });
  REQUIRE_FALSE(r);
  CHECK(order == "ba");
}

TEST_CASE("on_interrupt: an inner limit that was hit and returned is none of the outer's",
          "[limits][on_interrupt]") {
  exactly fixture;
  bool inner = false;
  bool outer = false;
  CHECK_THROWS_AS(
      limit_allocations(1_Mw,
                        [&] {
                          on_interrupt const undo{[&]() noexcept { outer = true; }};
                          static_cast<void>(run_hit(limit_kind::memory, [&] {
                            on_interrupt const undo_too{[&]() noexcept { inner = true; }};
                            holder h;
                            h.fill(2_kw);
                          }));
                          throw 1;
                        }),
      int);
  CHECK(inner);
  CHECK_FALSE(outer);
}

/// Its destructor uses a guard of its own while the interrupt is in flight.
struct worker {
  bool& ran;
  bool fails;
  ~worker() {
    try {
      on_interrupt const undo{[this]() noexcept { ran = true; }};
      if (fails) throw 1;
    } catch (int) {
    }
  }
};

TEST_CASE("on_interrupt: in a destructor during unwinding only its own scope matters",
          "[limits][on_interrupt]") {
  exactly fixture;
  bool ran = false;
  auto const run = [&](bool fails) {
    ran = false;
    static_cast<void>(run_hit(limit_kind::allocations, [&] {
      worker const w{ran, fails};
      churn(2_kw);
    }));
    return ran;
  };
  CHECK_FALSE(run(false));
  CHECK(run(true));  // an exception while interrupted: taken for a consequence
}

TEST_CASE("on_interrupt: both or neither, wherever the interrupt falls", "[limits][on_interrupt]") {
  with_seed fixture(9);
  int interrupts = 0;
  for (std::int64_t limit = 0; limit < 50; ++limit) {
    int from = 100;
    int to = 0;
    words granted{};
    auto const r = run_limited({.allocations = words{limit * 8}, .count = counting::exact}, [&] {
      for (int i = 0; i < 5; ++i) {
        on_interrupt undo{[&, before = from]() noexcept { from = before; }};
        churn_until(granted + 32_w, granted);
        --from;
        churn_until(granted + 32_w, granted);
        ++to;
        undo.release();
        churn_until(granted + 16_w, granted);
      }
    });
    CAPTURE(limit);
    REQUIRE(from + to == 100);
    REQUIRE(r.has_value() == (limit >= 5 * (4 + 4 + 2)));
    interrupts += !r;
  }
  CHECK(interrupts == 50);
}

TEST_CASE("catch_all: the handler for ordinary failures, never for an interrupt",
          "[limits][catch_all]") {
  exactly fixture;
  CHECK(catch_all([] { return 1; }, [] { return 2; }) == 1);
  CHECK(catch_all([]() -> int { throw 1; }, [] { return 2; }) == 2);
  std::string what;
  catch_all([] { throw std::runtime_error("no such page"); },
            [&](std::exception_ptr e) {
              try {
                std::rethrow_exception(e);
              } catch (std::exception const& x) {
                what = x.what();
              }
            });
  CHECK(what == "no such page");
  CHECK_THROWS_AS(catch_all([] { throw 1; }, [] { throw; }), int);
  // The exception of an interrupt that is over, if the program kept it, is like any other.
  CHECK(catch_all([]() -> int { throw limit_exceeded(limit_kind::token); }, [] { return 3; }) == 3);

  for (auto kind : all_kinds) {
    int handled = 0;
    int attempts = 0;
    auto const r = run_hit(kind, [&] {
      for (; attempts < 1000; ++attempts) {  // a loop that survives everything
        catch_all([] { churn(5_kw); }, [&] { ++handled; });
      }
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(handled == 0);
    CHECK(r.error().deliveries() == 1);
    CHECK(r.error().exception() != nullptr);
  }
}

TEST_CASE("catch_all: what comes while a limit is hit goes on, whatever it is",
          "[limits][catch_all]") {
  exactly fixture;
  bool handled = false;
  auto const r = run_hit(limit_kind::allocations, [&] {
    catch_all(
        [] {
          try {
            churn(2_kw);
          } catch (...) {
            throw std::runtime_error("cannot read the file");
          }
        },
        [&] { handled = true; });
  });
  REQUIRE_FALSE(r);
  CHECK_FALSE(handled);
  CHECK_THROWS_AS(std::rethrow_exception(r.error().exception()), std::runtime_error);
}

TEST_CASE("catch_all: an inner limit's interrupt is no business of a catch_all around it",
          "[limits][catch_all]") {
  exactly fixture;
  std::optional<bool> inner;
  int handled = 0;
  CHECK(limit_allocations(1_Mw, [&] {
    catch_all(
        [&] {
          inner = run_hit(limit_kind::allocations, [] { churn(2_kw); }).has_value();
          throw 1;
        },
        [&] { ++handled; });
  }));
  CHECK(inner == false);
  CHECK(handled == 1);
}

}  // namespace
}  // namespace memprof::test
