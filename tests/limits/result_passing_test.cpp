// SPDX-License-Identifier: MIT
//
// What passes through a limit function: the interrupts of outer limits (B10, B11), values of every
// kind, messages.
#include <chrono>
#include <cstddef>
#include <string>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

TEST_CASE("B10: an outer limit's interrupt passes through an inner limit that was not hit",
          "[limits][result]") {
  exactly fixture;
  for (auto outer_kind : all_kinds) {
    for (auto inner_kind : {limit_kind::memory, limit_kind::token, limit_kind::deadline}) {
      if (inner_kind == outer_kind) continue;  // D-7: it has no more than the outer one has left
      auto const room = with_room(inner_kind);
      bool inner_returned = false;
      bool passed_as_exception = false;
      auto const r = run_hit(outer_kind, [&] {
        try {
          static_cast<void>(run_limited(room, [] { churn(2_kw); }));
          inner_returned = true;
        } catch (limit_exceeded const&) {
          passed_as_exception = true;
          throw;
        }
      });
      CAPTURE(to_string(outer_kind), to_string(inner_kind));
      REQUIRE_FALSE(r);
      CHECK(r.error().kind() == outer_kind);
      CHECK(r.error().deliveries() == 1);
      CHECK_FALSE(inner_returned);
      CHECK(passed_as_exception);
    }
  }
}

TEST_CASE("B11: the interrupt comes again in the task's clean-up, except where it is masked",
          "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    bool cleaned = false;
    auto const unmasked = run_hit(kind, [&] {
      try {
        churn(2_kw);
      } catch (...) {
        churn(50_kw);
        cleaned = true;
        throw;
      }
    });
    bool cleaned_masked = false;
    auto const masked = run_hit(kind, [&] {
      try {
        churn(2_kw);
      } catch (...) {
        masked_scope const mask;
        churn(50_kw);
        cleaned_masked = true;
        throw;
      }
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(unmasked);
    CHECK_FALSE(cleaned);
    CHECK(unmasked.error().deliveries() == 2);
    REQUIRE_FALSE(masked);
    CHECK(cleaned_masked);
    CHECK(masked.error().deliveries() == 1);
  }
}

TEST_CASE("the message names the limit and the amounts in one line", "[limits][result]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    auto const r = run_hit(kind, [] { churn(2_kw); });
    REQUIRE_FALSE(r);
    auto const message = r.error().message();
    CAPTURE(message);
    CHECK(message.find(to_string(kind)) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
    if (kind == limit_kind::token) CHECK(message.find("run_hit") != std::string::npos);
  }
  auto const message = [](bytes limit, std::size_t block) {
    return limit_allocations(limit, [&] { release(allocate(block), block); }).error().message();
  };
  auto const one = message(1_kw, 16'000);
  CHECK(one == message(1_kw, 16'000));
  CHECK(one != message(2_kw, 16'000));   // another limit
  CHECK(one != message(1_kw, 160'000));  // another amount
}

TEST_CASE("counted and plain results carry move-only values", "[limits][result]") {
  exactly fixture;
  struct move_only {
    explicit move_only(int number) : number_(number) {}
    move_only(move_only&& other) noexcept : number_(other.number_) { other.number_ = 0; }
    move_only& operator=(move_only&&) = delete;
    int number_;
  };
  token const stop;
  CHECK(limit_allocations(1_Mw, [] { return move_only(1); }).value().value.number_ == 1);
  CHECK(limit_memory(1_Mw, [] { return move_only(2); }).value().number_ == 2);
  CHECK(limit_with_token(stop, [] { return move_only(3); }).value().number_ == 3);
  CHECK(limit_time(24h, [] { return move_only(4); }).value().number_ == 4);
  budget account({.allocations = 1_Mw});
  CHECK(account.run([] { return move_only(5); }).value().value.number_ == 5);
  // A task that can be called only once, as an rvalue.
  struct once {
    move_only state;
    int operator()() && { return state.number_; }
  };
  CHECK(limit_memory(1_Mw, once{move_only(6)}).value() == 6);
}

}  // namespace
}  // namespace memprof::test
