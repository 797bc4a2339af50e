// SPDX-License-Identifier: MIT
//
// Places where an interrupt can never be raised, and what is said of them.
#include <cstdlib>
#include <string>

#include "memprof/memprof.hpp"

#include "limits/at_exit.hpp"
#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("a destructor at a scope's normal end, and a noexcept function, are not interrupted",
          "[limits][swallow]") {
  exactly fixture;
  for (auto kind : {limit_kind::allocations, limit_kind::memory, limit_kind::global_memory}) {
    bool destroyed = false;
    bool returned = false;
    words granted{};
    auto const r = run_hit(kind, [&] {
      {
        at_exit const clean{[&] {
          churn(2_kw);
          destroyed = true;
        }};
      }
      auto const no_throw = [&]() noexcept {
        churn(50_kw);
        returned = true;
      };
      no_throw();
      // Retried after a grace that grows, so not always at once.
      churn_until(1_Mw, granted);
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(destroyed);
    CHECK(returned);
    CHECK(granted < 1_Mw);
    CHECK(r.error().deliveries() == 1);
    CHECK(r.error().deferrals() >= 1);
  }
}

extern "C" int compare_and_allocate(void const* a, void const* b) {
  churn(1_kw);
  return *static_cast<int const*>(a) - *static_cast<int const*>(b);
}

TEST_CASE("no interrupt is raised through a C frame", "[limits][swallow]") {
  exactly fixture;
  auto const r = run_hit(limit_kind::allocations, [] {
    int numbers[]{5, 3, 4, 1, 2};
    std::qsort(numbers, 5, sizeof(int), &compare_and_allocate);
    return numbers[0];
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 0);
  CHECK(r.error().deferrals() >= 1);
  REQUIRE(r.error().last_deferral() != nullptr);
  CHECK(r.error().message().find(r.error().last_deferral()) != std::string::npos);
}

[[gnu::noinline]] void holds_interrupts_back() noexcept {
  churn(50_kw);
  asm volatile("");
}

TEST_CASE("message() names the function of the program that was in the way", "[limits][deferral]") {
  exactly fixture;
  auto const r = limit_allocations(10_kw, [] { holds_interrupts_back(); });
  REQUIRE_FALSE(r);
  CHECK_THAT(r.error().message(), Catch::Matchers::ContainsSubstring("holds_interrupts_back()+0x"));
}

}  // namespace
}  // namespace memprof::test
