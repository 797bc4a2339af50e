// SPDX-License-Identifier: MIT
#include "tracer/messages.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>

#include "support/catch2.hpp"
#include "tracer/request.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("messages: a long file name leaves room for the reason") {
  auto const wanted = std::make_unique<settings>();
  std::array<char, longest_message> text;
  REQUIRE(set_file(*wanted, ("/" + std::string(3000, 'y')).c_str()));
  describe({step::write, ENOSPC}, *wanted, text);
  CHECK_THAT(text.data(), Catch::Matchers::EndsWith("...: No space left on device"));
}

TEST_CASE("messages: a file name of 255 characters is whole, a longer one is not") {
  auto const wanted = std::make_unique<settings>();
  std::array<char, longest_message> text;
  const std::string longest = "/" + std::string(253, 'y') + "z";
  REQUIRE(set_file(*wanted, longest.c_str()));
  describe({step::write, ENOSPC}, *wanted, text);
  CHECK(std::string_view{text.data()}.find(longest + ": ") != std::string_view::npos);
  REQUIRE(set_file(*wanted, ("/" + longest).c_str()));
  describe({step::write, ENOSPC}, *wanted, text);
  CHECK(std::string_view{text.data()}.find("y...: ") != std::string_view::npos);
}
