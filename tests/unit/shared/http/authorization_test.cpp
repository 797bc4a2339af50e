// SPDX-License-Identifier: MIT
#include "http/authorization.hpp"

#include "support/catch2.hpp"

using memprof::http::is_right_token;

TEST_CASE("authorization: a token, as a header of its own or as a password") {
  CHECK(is_right_token("Bearer s3cret", "s3cret"));
  CHECK(is_right_token("bearer s3cret", "s3cret"));
  CHECK(is_right_token("Basic YWRtaW46czNjcmV0", "s3cret"));  // admin:s3cret
  CHECK(is_right_token("Basic OnMzY3JldA==", "s3cret"));      // :s3cret
  CHECK(is_right_token("Basic YTpiOmM=", "b:c"));             // a:b:c
}

TEST_CASE("authorization: what is not right is refused") {
  for (char const* header :
       {"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret ", "Bearer s3crets3cret", "s3cret",
        "Basic", "Basic ", "Basic czNjcmV0", "Basic czNjcmV0Og==", "Basic YWRtaW46czNjcmU=",
        "Basic YWRtaW46czNjcmV0!", "Basic YWRtaW4\n6czNjcmV0", "Basic ====", "Digest s3cret"}) {
    CAPTURE(header);
    CHECK_FALSE(is_right_token(header, "s3cret"));
  }
}
