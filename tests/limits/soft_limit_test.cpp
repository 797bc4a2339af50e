// SPDX-License-Identifier: MIT
//
// Soft limits: a callback at a fraction of a limit. Upstream has none.
#include <optional>
#include <vector>

#include "memprof/memprof.hpp"

#include "limits/with_soft.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("called once, at its fraction, with the amounts", "[limits][soft]") {
  exactly fixture;
  for (auto count : {counting::sampled, counting::exact}) {
    std::vector<soft_limit_notice> notices;
    notices.reserve(10);
    words granted{};
    words at_call{};
    auto const l = with_soft({.allocations = 10_kw, .count = count}, 0.8, [&](auto& notice) {
      notices.push_back(notice);
      at_call = granted;
    });
    auto const r = run_limited(l, [&] { churn_until(9'500_w, granted); });
    CHECK(r);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].kind() == limit_kind::allocations);
    CHECK(notices[0].limit() == bytes{10_kw});
    CHECK_FALSE(notices[0].raised());
    auto const& measured = notices[0].measured();
    CHECK(measured.value >= bytes{8_kw});
    CHECK(measured.value <= bytes{8_kw + 2 * small_words});
    CHECK(measured.lower <= measured.value);
    CHECK(measured.value <= measured.upper);
    CHECK(at_call >= 8_kw - 2 * small_words);
    CHECK(at_call <= 8_kw + small_words);
  }
}

TEST_CASE("counted exactly, it is called at its very amount", "[limits][soft]") {
  exactly fixture;
  words granted{};
  words at_call{};
  auto const l = with_soft({.allocations = 125 * small_words, .count = counting::exact}, 0.8,
                           [&](auto&) { at_call = granted; });
  CHECK(run_limited(l, [&] { churn_until(120 * small_words, granted); }));
  CHECK(at_call == 99 * small_words);  // the block that makes it 100 is not counted yet
}

TEST_CASE("not called below its fraction", "[limits][soft]") {
  exactly fixture;
  int calls = 0;
  auto const l = with_soft({.allocations = 10_kw, .memory = 5_kw}, 0.8, [&](auto&) { ++calls; });
  CHECK(run_limited(l, [] { churn(7_kw); }));
  CHECK(calls == 0);
}

TEST_CASE("several fractions, in order; each run starts anew", "[limits][soft]") {
  exactly fixture;
  std::vector<int> calls;
  calls.reserve(10);
  limits l{.allocations = 10_kw};
  l.soft.push_back({0.9, [&](auto&) { calls.push_back(90); }});
  l.soft.push_back({0.25, [&](auto&) { calls.push_back(25); }});
  l.soft.push_back({0.5, [&](auto&) { calls.push_back(50); }});
  CHECK(run_limited(l, [] { churn(9'500_w); }));
  CHECK(calls == std::vector{25, 50, 90});
  CHECK_FALSE(run_limited(l, [] { churn(20_kw); }));
  CHECK(calls == std::vector{25, 50, 90, 25, 50, 90});
}

TEST_CASE("called for each limit whose fraction is reached", "[limits][soft]") {
  exactly fixture;
  std::vector<limit_kind> kinds;
  kinds.reserve(10);
  set_global_memory_limit(live_major_memory().value + 1_Mw);
  auto const l = with_soft({.allocations = 100_kw, .memory = 10_kw, .global_memory = true}, 0.5,
                           [&](auto& notice) { kinds.push_back(notice.kind()); });
  auto const r = run_limited(l, [] {
    holder heap;
    heap.fill(8_kw);
    churn(60_kw);
  });
  CHECK(r);
  CHECK(kinds == std::vector{limit_kind::memory, limit_kind::allocations});
}

TEST_CASE("called for the global limit", "[limits][soft]") {
  exactly fixture;
  churn(nursery() + 10_kw, 4088);  // what Catch2 allocated is major after this
  bytes const limit = 2 * live_major_memory().value + 4_Mw;
  set_global_memory_limit(limit);
  std::optional<soft_limit_notice> seen;
  auto const l = with_soft({.global_memory = true}, 0.75, [&](auto& notice) { seen = notice; });
  bool early = false;
  auto const r = run_limited(l, [&] {
    holder heap;
    heap.fill(1_Mw, 65'528);
    early = seen.has_value();
    heap.fill(floor_to_words(limit) * 9 / 10 - floor_to_words(live_major_memory().value) + 1_Mw,
              65'528);
  });
  CHECK(r);
  CHECK_FALSE(early);
  REQUIRE(seen);
  CHECK(seen->kind() == limit_kind::global_memory);
  CHECK(seen->limit() == limit);
  CHECK(seen->measured().value.count() >= limit.count() / 4 * 3);
  CHECK(seen->measured().value.count() <= limit.count() / 4 * 3 + 3 * 65'536);
}

TEST_CASE("the amount that it is given has reached the fraction", "[limits][soft]") {
  exactly fixture;
  bytes measured{};
  auto const l =
      with_soft({.memory = 10_kw}, 0.8, [&](auto& notice) { measured = notice.measured().value; });
  CHECK(run_limited(l, [] {
    holder heap;
    heap.fill(9_kw);
  }));
  CHECK(measured >= bytes{8_kw});
  CHECK(measured <= bytes{8_kw + small_words});
}

TEST_CASE("not called while masked, but after", "[limits][soft]") {
  exactly fixture;
  int calls = 0;
  int while_masked = -1;
  auto const l = with_soft({.allocations = 10_kw}, 0.5, [&](auto&) { ++calls; });
  auto const r = run_limited(l, [&] {
    {
      masked_scope const mask;
      churn(7_kw);
      while_masked = calls;
    }
    churn(1_kw);
  });
  CHECK(r);
  CHECK(while_masked == 0);
  CHECK(calls == 1);
}

}  // namespace
}  // namespace memprof::test
