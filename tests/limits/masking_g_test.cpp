// SPDX-License-Identifier: MIT
//
// Masking and with_resource. G4 has gone: a release must be noexcept. G8: all interrupts of the
// library are masked by the same mask.
#include <string>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("G5: a token set while masked interrupts soon after the mask ended",
          "[limits][masking]") {
  exactly fixture;
  for (bool allocate_masked : {false, true}) {
    token stop;
    bool masked_part = false;
    words granted{};
    auto const r = limit_with_token(stop, [&] {
      {
        masked_scope const mask;
        stop.set("masked");
        if (allocate_masked) churn(50_kw);
        masked_part = true;
      }
      churn_until(20_kw, granted);
    });
    CAPTURE(allocate_masked);
    REQUIRE_FALSE(r);
    CHECK(masked_part);
    CHECK(granted <= (allocate_masked ? 0_w : 1_kw));
    CHECK((r.error().deferrals() > 0) == allocate_masked);
  }
}

// Upstream neither counts nor interrupts masked work.
TEST_CASE("G6 mended: masked work is charged, the interrupt comes right after the mask",
          "[limits][masking]") {
  exactly fixture;
  for (auto count : {counting::sampled, counting::exact}) {
    bool masked_part = false;
    words granted{};
    auto const late = run_limited({.allocations = 10_kw, .count = count}, [&] {
      {
        masked_scope const mask;
        churn(100_kw);
        masked_part = true;
      }
      churn_until(20_kw, granted);
    });
    REQUIRE_FALSE(late);
    CHECK(masked_part);
    CHECK(granted == 0_w);
    CHECK(late.error().deliveries() == 1);
    CHECK(late.error().deferrals() >= 1);

    auto const fits = run_limited({.allocations = 10_kw, .count = count}, [&] {
      masked_scope const mask;
      churn(5_kw);
    });
    REQUIRE(fits);
    CHECK(fits->allocated == bytes{5_kw});
  }
}

TEST_CASE("G6 mended: masked to the end: an error, nothing delivered, the mask named",
          "[limits][masking]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    auto const r = run_hit(kind, [] {
      masked_scope const mask;
      churn(50_kw);
      return 1;
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(r.error().kind() == kind);
    CHECK(r.error().deliveries() == 0);
    CHECK(r.error().deferrals() >= 1);
    CHECK(r.error().exception() == nullptr);
    REQUIRE(r.error().last_deferral() != nullptr);
    CHECK(std::string(r.error().last_deferral()).find("mask") != std::string::npos);
    CHECK(r.error().message().find(r.error().last_deferral()) != std::string::npos);
  }
  // The same if the task throws something after it.
  auto const thrown = run_hit(limit_kind::allocations, [] {
    {
      masked_scope const mask;
      churn(2_kw);
    }
    throw 1;
  });
  REQUIRE_FALSE(thrown);
  CHECK(thrown.error().exception() != nullptr);
}

TEST_CASE("G7: masks nest, and bind their own thread only", "[limits][masking]") {
  exactly fixture;
  CHECK_FALSE(is_masked());
  {
    masked_scope const outer;
    {
      masked_scope const inner;
      CHECK(is_masked());
    }
    CHECK(is_masked());
    CHECK_FALSE(in_thread([] { return is_masked(); }));
    CHECK(in_thread(
        [] { return !run_hit(limit_kind::allocations, [] { churn(2_kw); }).has_value(); }));
  }
  CHECK_FALSE(is_masked());

  bool between = false;
  words granted{};
  auto const r = run_hit(limit_kind::allocations, [&] {
    {
      masked_scope const outer;
      {
        masked_scope const inner;
        churn(2_kw);
      }
      churn(50_kw);  // the outermost mask counts
      between = true;
    }
    churn_until(20_kw, granted);
  });
  CHECK_FALSE(r);
  CHECK(between);
  CHECK(granted == 0_w);
}

TEST_CASE("a mask around a limit masks the limit's task, too", "[limits][masking]") {
  exactly fixture;
  bool finished = false;
  masked_scope const mask;
  auto const r = run_hit(limit_kind::allocations, [&] {
    churn(50_kw);
    finished = true;
  });
  REQUIRE_FALSE(r);
  CHECK(finished);
  CHECK(r.error().deliveries() == 0);
}

}  // namespace
}  // namespace memprof::test
