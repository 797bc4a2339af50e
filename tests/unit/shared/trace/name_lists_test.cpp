// SPDX-License-Identifier: MIT
#include "trace/name_lists.hpp"

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/encoding.hpp"
#include "support/catch2.hpp"

using namespace memprof;

TEST_CASE("name_lists: returns the names that name_tables encoded, while lists overflow") {
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("n" + std::to_string(i));
  encoding::name_tables written;
  trace::name_lists read;
  std::mt19937 random{11};
  int shortened = 0;
  for (int i = 0; i < 20'000; ++i) {
    // Some names are used more often than others, so that they are found at all positions.
    std::string const& file = names[random() % (1 + random() % names.size())];
    std::string const& function = names[random() % (1 + random() % names.size())];
    const auto codes = written.encode(file, function);
    if (codes.file == encoding::new_name) {
      read.new_file(file);
    } else {
      REQUIRE(read.file(codes.file) == std::optional<std::string_view>(file));
      ++shortened;
    }
    if (codes.function == encoding::new_name) {
      read.new_function(function);
    } else {
      REQUIRE(read.function(codes.function) == std::optional<std::string_view>(function));
      ++shortened;
    }
  }
  CHECK(shortened > 20'000);
}

TEST_CASE("name_lists: a position without a name is refused") {
  trace::name_lists read;
  CHECK_FALSE(read.file(0));
  read.new_file("a");
  CHECK(read.file(0) == "a");
  CHECK_FALSE(read.file(1));
  CHECK_FALSE(read.function(0));
  read.new_function("f");
  CHECK(read.function(0) == "f");
  CHECK_FALSE(read.function(30));
}
