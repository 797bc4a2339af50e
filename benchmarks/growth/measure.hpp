// SPDX-License-Identifier: MIT
/// \file
/// Clocks, memory, and a load: what all subjects of this benchmark measure with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace growth {

/// What one run found, by name: "fill ns", "bytes per block".
using findings = std::vector<std::pair<std::string, double>>;

/// Nanoseconds of CPU of this thread, and of the clock on the wall.
std::int64_t thread_ns() noexcept;
std::int64_t wall_ns() noexcept;

/// Memory of the process that is in RAM, in bytes.
std::int64_t resident_bytes();

/// So that no compiler removes the block.
inline void* keep(void* block) noexcept {
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

/// xorshift: fast enough not to be what is measured.
struct random_numbers {
  std::uint64_t state = 88172645463325252ULL;
  std::uint64_t operator()() noexcept {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
};

/// Blocks of 16 to 512 bytes come and go, a random one of 512 at a time. The same in every run.
class mixture {
 public:
  mixture();
  ~mixture();
  mixture(mixture const&) = delete;
  mixture& operator=(mixture const&) = delete;
  void run(std::int64_t pairs);
  /// Nanoseconds of this thread for a pair: the median of nine stretches of `pairs`.
  double ns_per_pair(std::int64_t pairs = 40'000);

 private:
  random_numbers random_;
  std::vector<void*> blocks_;
};

/// Nanoseconds for a pair of `size` bytes, freed at once: the median of nine stretches of `pairs`.
double ns_per_pair_of(std::size_t size, std::int64_t pairs);

/// The subjects, each at a size of its own kind.
findings heap(std::int64_t bytes);        ///< live heap
findings samples(std::int64_t count);     ///< blocks that are live and sampled
findings threads(std::int64_t count);     ///< threads that are there at once
findings nested(std::int64_t count);      ///< limit scopes, one in the other
findings sequential(std::int64_t count);  ///< limit scopes, one after the other
findings depth(std::int64_t frames);      ///< frames on the call stack

}  // namespace growth
