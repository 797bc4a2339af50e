// SPDX-License-Identifier: MIT
#include "delivery/unsupported_processor.hpp"

#include "support/catch2.hpp"

using namespace memprof::delivery;

static_assert(readable_processor<unsupported_processor>);

TEST_CASE("unsupported processor: no instruction is understood") {
  module_code module;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  REQUIRE(module.open(here));
  unsupported_processor::instruction i;
  CHECK_FALSE(unsupported_processor::decode(module, here, i));
}
