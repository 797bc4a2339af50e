// SPDX-License-Identifier: MIT
#include "relay/invitation.hpp"

#include "support/catch2.hpp"

using memprof::relay::invitation;

TEST_CASE("an invitation is read as it was written") {
  const invitation sent{.recorder = 4711, .descriptor = 1000, .cookie = ~std::uint64_t{0}};
  invitation read;
  REQUIRE(invitation::parse(sent.written().data(), read));
  CHECK(read.recorder == sent.recorder);
  CHECK(read.descriptor == sent.descriptor);
  CHECK(read.cookie == sent.cookie);
}

TEST_CASE("anything else is no invitation") {
  invitation read;
  for (char const* const text : {"", "1", "1:2", "1:2:", "1:2:x", "1:2:3x", ":2:3", "0:2:3",
                                 "1:-2:3", "1:2:99999999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(invitation::parse(text, read));
  }
}
