// SPDX-License-Identifier: MIT
#include "modules/code_owner.hpp"

#include "support/catch2.hpp"
#include "unit/runtime/tracer/unloadable_module.hpp"

using namespace memprof::modules;
using memprof::test::unloadable_module;
using memprof::test::within;

TEST_CASE("code owner: the program is never unloaded") {
  const std::uintptr_t here = within(reinterpret_cast<void const*>(&find_owner));
  code_owner owner;
  REQUIRE(find_owner(here, owner));
  CHECK(owner.range.contains(here));
  CHECK(owner.permanent);
  CHECK(owner.known_again);
  CHECK(owner.number == 0);
  const int local = 0;
  CHECK_FALSE(find_owner(reinterpret_cast<std::uintptr_t>(&local), owner));
  CHECK(owner.range == address_range{});
}

TEST_CASE("code owner: a module that comes again has its number again, and no other has it") {
  const auto owner_of = [](char const* name) {
    const unloadable_module m{name};
    code_owner owner;
    REQUIRE(find_owner(m.frame, owner));
    CHECK(owner.range.contains(m.frame));
    CHECK_FALSE(owner.permanent);
    return owner;
  };
  const code_owner first = owner_of("small_frame");
  CHECK(first.known_again);
  CHECK(first.number != 0);
  const code_owner other = owner_of("large_frame");
  CHECK(other.number != 0);
  CHECK(other.number != first.number);
  const code_owner again = owner_of("small_frame");
  if (again.range == first.range) CHECK(again.number == first.number);
  const code_owner nameless = owner_of("without_id");
  CHECK_FALSE(nameless.known_again);
  CHECK(nameless.number == 0);
}
