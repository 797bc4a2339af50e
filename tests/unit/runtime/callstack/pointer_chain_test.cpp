// SPDX-License-Identifier: MIT
#include "callstack/pointer_chain.hpp"

#include <array>
#include <cstdint>

#include "support/catch2.hpp"

using namespace memprof::callstack;

namespace {

constexpr std::uintptr_t first_pc = 0x401000;

/// Saved frame pointers and return addresses, made up, on this stack.
struct made_up_chain {
  struct link {
    std::uintptr_t above;
    std::uintptr_t pc;
  };
  std::array<link, 4> links{};

  made_up_chain() {
    for (std::size_t i = 0; i < links.size(); ++i) {
      links[i] = {i + 1 < links.size() ? address(i + 1) : 0, first_pc + 16 * (i + 1)};
    }
  }
  [[nodiscard]] std::uintptr_t address(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(&links[i]);
  }
  /// How many frames are taken.
  [[nodiscard]] std::size_t length() const {
    std::array<std::uintptr_t, 16> frames{};
    pointer_chain chain({.pc = first_pc, .sp = address(0), .fp = address(0)});
    const std::size_t taken = chain.take(frames);
    CHECK_FALSE(chain.goes_on());
    for (std::size_t i = 0; i < taken; ++i) CHECK(frames[i] == first_pc + 16 * i);
    return taken;
  }
};

}  // namespace

TEST_CASE("pointer chain: up to the frame without a caller") {
  made_up_chain chain;
  CHECK(chain.length() == 5);
  chain.links[2].pc = 0;
  CHECK(chain.length() == 3);
}

TEST_CASE("pointer chain: as many frames as there is room for, then the others") {
  const made_up_chain made_up;
  pointer_chain chain({.pc = first_pc, .sp = made_up.address(0), .fp = made_up.address(0)});
  std::array<std::uintptr_t, 3> frames{};
  CHECK(chain.take(frames) == 3);
  CHECK(chain.goes_on());
  CHECK(chain.take(frames) == 2);
  CHECK(frames[1] == first_pc + 16 * 4);
  CHECK_FALSE(chain.goes_on());
  CHECK(chain.take(frames) == 0);
}

TEST_CASE("pointer chain: what is no return address, or no frame further up, ends it") {
  made_up_chain chain;
  for (const std::uintptr_t pc :
       {std::uintptr_t{1}, std::uintptr_t{4095}, std::uintptr_t{1} << 48, ~std::uintptr_t{0}}) {
    chain.links[2].pc = pc;
    CHECK(chain.length() == 3);
  }
  chain.links[2].pc = first_pc + 16 * 3;
  for (const std::uintptr_t above : {chain.address(2), chain.address(1), std::uintptr_t{8}}) {
    chain.links[2].above = above;
    CHECK(chain.length() == 3);
  }
  chain.links[2].above = chain.address(3) + 1;  // where no frame pointer points
  CHECK(chain.length() == 4);
  CHECK(made_up_chain{}.length() == 5);
}

TEST_CASE("pointer chain: without a first frame there is nothing") {
  std::array<std::uintptr_t, 2> frames{};
  pointer_chain chain({});
  CHECK_FALSE(chain.goes_on());
  CHECK(chain.take(frames) == 0);
}
