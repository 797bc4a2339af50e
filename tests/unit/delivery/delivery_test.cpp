// SPDX-License-Identifier: MIT
#include "delivery/delivery.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <exception>

using namespace memprof::delivery;

namespace {

decision seen_in_destructor{};

struct asks {
  int uncaught_at_entry;
  ~asks() { seen_in_destructor = decide({this, uncaught_at_entry, false}); }
};

}  // namespace

TEST_CASE("delivery: allowed where nothing speaks against it") {
  CHECK(decide({&seen_in_destructor, 0, false}).deliver());
}

TEST_CASE("delivery: not in a masked region") {
  const decision d = decide({&seen_in_destructor, 0, true});
  CHECK_FALSE(d.deliver());
  CHECK(std::strstr(d.reason, "masked") != nullptr);
}

TEST_CASE("delivery: not while an exception is in flight that was not when the scope began") {
  try {
    const asks a{0};
    throw 1;
  } catch (int) {
  }
  CHECK_FALSE(seen_in_destructor.deliver());
  try {
    const asks a{1};  // the scope itself began in a destructor during unwinding
    throw 1;
  } catch (int) {
  }
  CHECK(seen_in_destructor.deliver());
  CHECK(decide({&seen_in_destructor, std::uncaught_exceptions(), false}).deliver());
}
