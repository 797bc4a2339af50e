// SPDX-License-Identifier: MIT
//
// counters(): what limits did, counted.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

std::uint64_t deferrals_for(char const* reason) {
  auto const all = deferrals_by_reason();
  auto const found = std::ranges::find_if(
      all, [&](deferral_count const& d) { return std::strcmp(d.reason, reason) == 0; });
  return found != all.end() ? found->count : 0;
}

TEST_CASE("counters: scopes of all threads, also those that ended", "[limits][counters]") {
  auto const before = counters().scopes;
  in_threads(4, [](std::size_t) {
    for (int i = 0; i < 1000; ++i) {
      static_cast<void>(
          limit_allocations(1_MiB, [] { static_cast<void>(limit_memory(1_MiB, [] {})); }));
    }
  });
  CHECK(counters().scopes == before + 8000);
}

TEST_CASE("counters: each limit that is hit counts once", "[limits][counters]") {
  exactly fixture;
  for (limit_kind const kind : all_kinds) {
    auto const before = counters();
    auto const r = run_hit(kind, [] {
      masked_scope mask;
      churn(4_kw);
    });
    set_global_memory_limit(std::nullopt);
    auto const after = counters();
    CAPTURE(to_string(kind));
    for (limit_kind const k : all_kinds) {
      CHECK(after.hits[k] == before.hits[k] + (k == kind ? 1 : 0));
    }
  }
}

TEST_CASE("counters: deferrals by their reason add up", "[limits][counters]") {
  exactly fixture;
  auto const before = counters();
  auto const masked_before = deferrals_for("inside a masked region");
  CHECK_FALSE(limit_allocations(1_kw, [] {
    masked_scope mask;
    churn(100_kw);
  }));
  auto const after = counters();
  CHECK(after.deferrals > before.deferrals);
  CHECK(deferrals_for("inside a masked region") - masked_before ==
        after.deferrals - before.deferrals);
  std::uint64_t sum = 0;
  for (deferral_count const& d : deferrals_by_reason()) sum += d.count;
  CHECK(sum == after.deferrals);
  CHECK(after.preflight_time > before.preflight_time);
}

TEST_CASE("counters: tokens that exist", "[limits][counters]") {
  auto const before = counters().tokens;
  {
    token const one;
    token const copy = one;
    token const child = one.child();
    CHECK(counters().tokens == before + 2);
  }
  CHECK(counters().tokens == before);
}

}  // namespace
}  // namespace memprof::test
