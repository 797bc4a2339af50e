// SPDX-License-Identifier: MIT
// A sampled block reports as much room to the program as one that is not sampled:
// programs that use what they are given run the same.
#include <cstdlib>
#include <cstring>
#include <malloc.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

namespace {

/// What malloc_usable_size says of a block of n bytes, all of which are then written.
std::size_t usable_size(std::size_t n, double rate) {
  memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
  const auto before = memprof::counters().tracked_blocks;
  void* const block = std::malloc(n);
  CHECK(block != nullptr);
  CHECK(memprof::counters().tracked_blocks - before == (rate == 1.0 ? 1 : 0));
  const std::size_t size = malloc_usable_size(block);
  CHECK(size >= n);
  CHECK(malloc_usable_size(block) == size);
  std::memset(block, 0xA5, size);
  auto* const moved = static_cast<unsigned char*>(std::realloc(block, size + 1000));
  CHECK(moved != nullptr && moved[0] == (size > 0 ? 0xA5 : moved[0]));
  CHECK(size == 0 || moved[size - 1] == 0xA5);
  std::free(moved);
  return size;
}

}  // namespace

int main() {
  for (std::size_t n = 0; n < 20'000; n += n < 300 ? 1 : 61) {
    const std::size_t ordinary = usable_size(n, 0.0);
    const std::size_t sampled = usable_size(n, 1.0);
    // glibc leaves a block the 16 bytes that are too few for another. The page that a sampled
    // block of up to 4096 bytes has to itself may be less than what glibc rounds to, never else.
    CHECK(sampled <= ordinary);
    CHECK(sampled + 16 >= ordinary || n > 4096);
  }
}
