// SPDX-License-Identifier: MIT
#include "tracer/stack_scratch.hpp"

#include <memory>

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::tracer;

TEST_CASE("stack_scratch lends each buffer once") {
  auto const scratch = std::make_unique<stack_scratch>();
  for (std::size_t i = 0; i < stack_scratch::buffers; ++i) CHECK(scratch->borrow() == i);
  CHECK(scratch->borrow() == stack_scratch::buffers);
  scratch->give_back(5);
  CHECK(scratch->borrow() == 5);
  CHECK(scratch->at(5).size() == callstack::largest_stack);
  scratch->forget();
  CHECK(scratch->borrow() == 0);
}
