// SPDX-License-Identifier: MIT
#include "callstack/frames_hash.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "support/catch2.hpp"

using memprof::callstack::hash_of;

// 6,480 hashes: two of 64 bits are equal with a probability of 1e-12.
TEST_CASE("frames_hash: each frame, its place and their number count") {
  std::set<std::uint64_t> hashes;
  std::size_t stacks = 0;
  const auto add = [&](std::vector<std::uintptr_t> const& frames) {
    ++stacks;
    hashes.insert(hash_of(frames));
  };
  std::vector<std::uintptr_t> frames;
  for (std::size_t length = 0; length <= 31; ++length) {
    add(frames);
    for (std::size_t i = 0; i < length; ++i) {
      for (const std::uintptr_t bit :
           {std::uintptr_t{1}, std::uintptr_t{1} << 11, std::uintptr_t{1} << 46}) {
        frames[i] ^= bit;
        add(frames);
        frames[i] ^= bit;
      }
      for (std::size_t j = 0; j < i; ++j) {
        std::swap(frames[i], frames[j]);
        add(frames);
        std::swap(frames[i], frames[j]);
      }
    }
    frames.push_back(0x5555'5555'1000 + length * 0x40);
  }
  CHECK(hashes.size() == stacks);
}
