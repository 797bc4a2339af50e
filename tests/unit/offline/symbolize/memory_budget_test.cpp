// SPDX-License-Identifier: MIT
#include "symbolize/memory_budget.hpp"

#include "support/catch2.hpp"

using namespace memprof::symbolize;

TEST_CASE("memory of debug information: eight times the file and 32 MiB, and no overflow") {
  CHECK(most_memory_of(0) == 32 << 20);
  CHECK(most_memory_of(1 << 20) == 40 << 20);
  CHECK(most_memory_of(~std::uint64_t{0}) == ~std::uint64_t{0});
  CHECK(most_memory_of(~std::uint64_t{0} / 8) == ~std::uint64_t{0});
}

TEST_CASE("memory budget: what does not fit takes nothing") {
  memory_budget b{100};
  CHECK(b.take(60));
  CHECK_FALSE(b.take(41));
  CHECK(b.take(40));
  CHECK_FALSE(b.take(1));
  CHECK(b.take(0));
  memory_budget machine = memory_budget::of_this_machine();
  CHECK(machine.take(1 << 20));
  CHECK_FALSE(machine.take((std::uint64_t{8} << 30) + 1));
}
