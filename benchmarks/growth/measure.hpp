// SPDX-License-Identifier: MIT
/// \file
/// A load, and the subjects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "driving/subject.hpp"

namespace growth {

using namespace driving;

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
