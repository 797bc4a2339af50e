// SPDX-License-Identifier: MIT
#include "serve/packed_index.hpp"

#include "support/catch2.hpp"

using namespace memprof::serve;

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("M") == "TQ==");
  CHECK(base64("Ma") == "TWE=");
  CHECK(base64("Man") == "TWFu");
  CHECK(base64("ManMan") == "TWFuTWFu");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}
