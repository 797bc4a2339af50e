// SPDX-License-Identifier: MIT
//
// The token itself: a flag with a reason and a parent.
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("a token is set once, for good, with its first reason", "[limits][token]") {
  token t;
  CHECK_FALSE(t.is_set());
  CHECK(t.reason() == nullptr);
  t.set("first");
  CHECK(t.is_set());
  CHECK(std::strcmp(t.reason(), "first") == 0);
  t.set("second");
  t.set();
  CHECK(std::strcmp(t.reason(), "first") == 0);

  token without;
  without.set();
  without.set("late");
  CHECK(without.is_set());
  CHECK(without.reason() == nullptr);
}

TEST_CASE("copies of a token share its flag", "[limits][token]") {
  token original;
  token copy(original);
  token assigned;
  assigned.set("of its own");
  assigned = copy;
  CHECK_FALSE(assigned.is_set());
  copy.set("copy");
  CHECK(original.is_set());
  CHECK(std::strcmp(original.reason(), "copy") == 0);
  CHECK(std::strcmp(assigned.reason(), "copy") == 0);
  original = token();  // the others keep what they share
  CHECK_FALSE(original.is_set());
  CHECK(copy.is_set());
  copy = *&copy;
  CHECK(copy.is_set());
  static_assert(std::is_nothrow_copy_constructible_v<token>);
  static_assert(std::is_nothrow_copy_assignable_v<token>);
}

TEST_CASE("a child is set with its parent, and not the other way round", "[limits][token]") {
  token parent;
  token child = parent.child();
  token sibling = parent.child();
  token grandchild = child.child();
  child.set("child");
  CHECK_FALSE(parent.is_set());
  CHECK_FALSE(sibling.is_set());
  CHECK(grandchild.is_set());
  CHECK(std::strcmp(grandchild.reason(), "child") == 0);
  parent.set("parent");
  CHECK(sibling.is_set());
  CHECK(std::strcmp(sibling.reason(), "parent") == 0);
  // The nearest set one gives the reason.
  CHECK(std::strcmp(child.reason(), "child") == 0);
  CHECK(std::strcmp(grandchild.reason(), "child") == 0);
}

TEST_CASE("a child keeps its parent's flag alive; a token can be moved", "[limits][token]") {
  auto child = [] {
    token parent;
    parent.set("gone");
    return parent.child();
  }();
  CHECK(child.is_set());
  token moved(std::move(child));
  CHECK(moved.is_set());
  CHECK(std::strcmp(moved.reason(), "gone") == 0);
  token other;
  other = std::move(moved);
  CHECK(other.is_set());
  token const parent;
  other = parent.child();
  CHECK_FALSE(other.is_set());
  other.set();
  CHECK_FALSE(parent.is_set());
}

TEST_CASE("cancel_if: another library's cancellation interrupts the task", "[limits][token]") {
  with_seed fixture(1, sampling_rate{1e-9});
  bool cancelled = false;
  int asked = 0;
  limits const l{.cancel_if = [&] {
    ++asked;
    std::string const counted_by_nobody(10'000, 'x');
    return cancelled && !counted_by_nobody.empty();
  }};
  words granted{};
  CHECK(run_limited(l, [] { churn(20_kw); }));
  CHECK(asked >= 19);
  CHECK(asked <= 22);
  auto const r = run_limited(l, [&] {
    churn(20_kw);
    cancelled = true;
    churn_until(1_Mw, granted);
  });
  REQUIRE_FALSE(r);
  CHECK(granted <= 1_kw + small_words);
  CHECK(r.error().kind() == limit_kind::token);
  CHECK(r.error().reason() == std::string_view("cancel_if"));
  CHECK(r.error().deliveries() == 1);

  // Not where no interrupt may be raised.
  asked = 0;
  CHECK(run_limited(l, [] {
    const masked_scope mask;
    churn(20_kw);
  }));
  CHECK(asked == 0);
}

}  // namespace
}  // namespace memprof::test
