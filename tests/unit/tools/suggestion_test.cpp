// SPDX-License-Identifier: MIT
#include "tools/suggestion.hpp"

#include <array>

#include "support/catch2.hpp"

using memprof::tools::suggestion;

namespace {

const std::array<std::string, 5> known{"--sort", "--rows", "--row-height", "-n", "top"};

}  // namespace

TEST_CASE("suggestion: the nearest of the known words") {
  CHECK(suggestion("--sortt", known) == " (did you mean --sort?)");
  CHECK(suggestion("--row", known) == " (did you mean --rows?)");
  CHECK(suggestion("--osrt", known) == " (did you mean --sort?)");
  CHECK(suggestion("tpo", known) == " (did you mean top?)");
}

TEST_CASE("suggestion: none for another word") {
  CHECK(suggestion("--frobnicate", known).empty());
  CHECK(suggestion("x", known).empty());
  CHECK(suggestion("", known).empty());
  CHECK(suggestion(std::string(1 << 20, 'x'), known).empty());
  CHECK(suggestion("top", {}).empty());
}
