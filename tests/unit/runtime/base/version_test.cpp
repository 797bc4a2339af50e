// SPDX-License-Identifier: MIT
#include "memprof/version.hpp"

#include <string>

#include "support/catch2.hpp"

TEST_CASE("The version is the same as numbers, as one number and as text") {
  const std::string text = std::to_string(MEMPROF_VERSION_MAJOR) + '.' +
                           std::to_string(MEMPROF_VERSION_MINOR) + '.' +
                           std::to_string(MEMPROF_VERSION_PATCH);
  CHECK(memprof::version == text);
  CHECK(MEMPROF_VERSION / 10000 == MEMPROF_VERSION_MAJOR);
  CHECK(MEMPROF_VERSION / 100 % 100 == MEMPROF_VERSION_MINOR);
  CHECK(MEMPROF_VERSION % 100 == MEMPROF_VERSION_PATCH);
}

TEST_CASE("The linked library is of the version of the headers") {
  CHECK(memprof::linked_version() == memprof::version);
}
