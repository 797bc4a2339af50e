// SPDX-License-Identifier: MIT
//
// The token itself: a flag with a reason and a parent.
#include <cstring>
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

TEST_CASE("a child is set with its parent, and not the other way round", "[limits][token]") {
  token parent;
  token child(parent);
  token sibling = parent;
  token grandchild(child);
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
    return token(parent);
  }();
  CHECK(child.is_set());
  token moved(std::move(child));
  CHECK(moved.is_set());
  CHECK(std::strcmp(moved.reason(), "gone") == 0);
  token other;
  other = std::move(moved);
  CHECK(other.is_set());
  token const parent;
  other = parent;  // a child of it from now on
  CHECK_FALSE(other.is_set());
  other.set();
  CHECK_FALSE(parent.is_set());
}

}  // namespace
}  // namespace memprof::test
