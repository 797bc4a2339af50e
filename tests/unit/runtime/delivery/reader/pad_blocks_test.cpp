// SPDX-License-Identifier: MIT
#include "delivery/reader/pad_blocks.hpp"

#include <memory>

#include "support/catch2.hpp"

using namespace memprof::delivery;

TEST_CASE("pad_blocks: each place is read once for each state, and again when less is known") {
  const auto blocks = std::make_unique<pad_blocks>();
  blocks->reset();
  const processor::values entry{};
  CHECK(blocks->reach(0x1000, false, entry));
  CHECK(blocks->reach(0x1000, true, entry));
  CHECK(blocks->reach(0x1000, false, entry));
  int taken = 0;
  while (auto const* b = blocks->take()) {
    CHECK(b->address == 0x1000);
    ++taken;
  }
  CHECK(taken == 2);
  CHECK(blocks->reach(0x1000, false, entry));  // nothing new
  CHECK(blocks->take() == nullptr);
}

TEST_CASE("pad_blocks: what has no room any more is not passed over") {
  const auto blocks = std::make_unique<pad_blocks>();
  blocks->reset();
  const processor::values entry{};
  std::uintptr_t reached = 0;
  while (reached < 1'000'000 && blocks->reach(0x1000 + reached, false, entry)) ++reached;
  CHECK(reached == 2048);
  CHECK_FALSE(blocks->reach(0x1000, true, entry));
  CHECK(blocks->reach(0x1000, false, entry));
  std::uintptr_t taken = 0;
  while (blocks->take() != nullptr) ++taken;
  CHECK(taken == reached);
  blocks->reset();
  CHECK(blocks->reach(0x1000, true, entry));
}
