// SPDX-License-Identifier: MIT
// Allocates blocks of known sizes while every word is sampled, and prints each: "alloc ADDRESS SIZE
// WEIGHT" or "free ADDRESS". At rate 1 the weight is exact: whole words, and one for the header.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "memprof/memprof.hpp"

int main() {
  constexpr std::array<std::size_t, 6> sizes{1, 8, 1000, 4096, 100'000, 5'000'000};
  std::array<void*, 2 * sizes.size()> blocks{};
  memprof::profile all = memprof::start(memprof::sampling_rate{1.0}, memprof::null_tracker, 0);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t size = sizes[i / 2];
    blocks[i] = i % 2 == 0 ? std::malloc(size) : ::operator new(size);
  }
  for (std::size_t i = 0; i < blocks.size(); i += 2) std::free(blocks[i]);
  for (std::size_t i = 1; i < blocks.size(); i += 2) ::operator delete(blocks[i]);
  all.stop();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t size = sizes[i / 2];
    const auto address = reinterpret_cast<std::uintptr_t>(blocks[i]);
    std::printf("alloc %#jx %zu %zu\n", std::uintmax_t{address}, size, ((size + 7) / 8 + 1) * 8);
    std::printf("free %#jx\n", std::uintmax_t{address});
  }
  return 0;
}
