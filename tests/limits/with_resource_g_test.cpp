// SPDX-License-Identifier: MIT
//
// with_resource: acquire and release masked, release exactly once. G4 has gone: a release must be
// noexcept.
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("G1: acquire and release run masked, scope with the mask as it was",
          "[limits][masking]") {
  std::vector<bool> masked;
  auto const note = [&] { masked.push_back(is_masked()); };
  auto const bracket = [&](auto scope) {
    with_resource(
        [&] {
          note();
          return 1;
        },
        [&](int&) { scope(); }, [&](int&) noexcept { note(); });
  };
  bracket(note);
  note();
  CHECK(masked == std::vector{true, false, true, false});

  // A scope inside another acquire stays masked.
  masked.clear();
  with_resource(
      [&] {
        bracket(note);
        note();
        return 1;
      },
      [&](int&) { bracket(note); }, [&](int&) noexcept { bracket(note); });
  note();
  CHECK(masked == std::vector{true, true, true, true, true, false, true, true, true, true, false});
}

TEST_CASE("G1: no interrupt in acquire and release, for any kind", "[limits][masking]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    bool acquired = false;
    bool released = false;
    bool survived = false;
    auto const r = run_hit(kind, [&] {
      with_resource(
          [&] {
            churn(50_kw);
            acquired = true;
            return 1;
          },
          [&](int&) {
            churn(2_kw);
            survived = true;
          },
          [&](int&) noexcept {
            churn(50_kw);
            released = true;
          });
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(acquired);
    CHECK(released);
    CHECK_FALSE(survived);
    CHECK(r.error().deliveries() == 1);
  }
}

TEST_CASE("G2: release is called exactly if acquire returned; the mask is restored either way",
          "[limits][masking]") {
  int released = 0;
  auto const release_it = [&](int&) noexcept { ++released; };
  CHECK_THROWS_AS(with_resource([]() -> int { throw 1.5; }, [](int&) {}, release_it), double);
  CHECK(released == 0);
  CHECK_FALSE(is_masked());
  CHECK_THROWS_AS(with_resource([] { return 1; }, [](int&) { throw 1.5; }, release_it), double);
  CHECK(released == 1);
  CHECK_FALSE(is_masked());
  with_resource([] { return 1; }, [](int&) {}, release_it);
  CHECK(released == 2);
  CHECK_FALSE(is_masked());
  {
    masked_scope const mask;
    CHECK_THROWS_AS(with_resource([]() -> int { throw 1.5; }, [](int&) {}, release_it), double);
    CHECK(is_masked());
  }
  CHECK_FALSE(is_masked());
}

TEST_CASE("G3: the scope's value or exception comes out, references and move-only values too",
          "[limits][masking]") {
  auto const nothing = [](auto&) noexcept {};
  CHECK(with_resource([] { return 20; }, [](int& i) { return i + 1; }, nothing) == 21);
  int target = 0;
  with_resource([] { return 1; }, [&](int&) -> int& { return target; }, nothing) = 5;
  CHECK(target == 5);
  auto moved = with_resource([] { return std::make_unique<int>(7); },
                             [](std::unique_ptr<int>& p) { return std::move(p); }, nothing);
  CHECK(*moved == 7);
  STATIC_REQUIRE(std::is_void_v<decltype(with_resource([] { return 1; }, [](int&) {}, nothing))>);
  // What acquire returns by reference is not copied.
  CHECK(&with_resource([&]() -> int& { return target; }, [](int& i) -> int& { return i; },
                       nothing) == &target);
  try {
    with_resource([] { return 1; }, [](int&) { throw std::string("the scope's own"); }, nothing);
    FAIL("must throw");
  } catch (std::string const& e) {
    CHECK(e == "the scope's own");
  }
}

TEST_CASE("a resource is released once, whichever allocation is interrupted", "[limits][masking]") {
  with_seed fixture(9);
  // Exact limits sweep the interrupt over every allocation of the scenario: 5 x 13 blocks.
  for (std::int64_t limit = 0; limit < 70; ++limit) {
    int open = 0;
    int opened = 0;
    words granted{};
    auto const r = run_limited({.allocations = words{limit * 8}, .count = counting::exact}, [&] {
      for (int i = 0; i < 5; ++i) {
        with_resource(
            [&] {
              churn(24_w);
              ++open;
              ++opened;
              return i;
            },
            [&](int&) { churn_until(granted + 64_w, granted); },
            [&](int&) noexcept {
              churn(16_w);
              --open;
            });
      }
    });
    CAPTURE(limit, opened);
    REQUIRE(open == 0);
    REQUIRE(r.has_value() == (limit >= 5 * (3 + 8 + 2)));
  }
}

}  // namespace
}  // namespace memprof::test
