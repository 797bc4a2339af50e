// SPDX-License-Identifier: MIT
/// \file
/// What is done with malloc and free, a turn at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "module.hpp"

namespace pairs {

/// Blocks that stay from turn to turn. Each variant has its own: it must free what it allocated.
struct live_blocks {
  std::vector<void*> blocks;
  std::uint64_t random = 0x9e3779b97f4a7c15;  ///< the same sequence for all variants
  /// For what is read: another one for each variant, or they would warm the cache for each other.
  std::uint64_t random_reads = 1;

  void fill(allocator_functions const& functions, std::size_t count);
  void empty(allocator_functions const& functions);
};

/// Read at random between the pairs of one workload.
extern std::vector<std::uint64_t> memory_to_read;

/// So many pairs by these functions, `depth` frames down; and what they took.
struct turn {
  allocator_functions const* functions = nullptr;
  live_blocks* live = nullptr;
  std::uint64_t pairs = 0;
  int depth = 0;
  void (*work)(turn&) = nullptr;
  double nanoseconds = 0;  ///< CPU time of the thread
};

struct loops;

/// live        blocks that are live all the time.
/// reads       reads `memory_to_read`.
/// work        the loop.
struct workload {
  char const* name;
  char const* title;
  std::size_t live;
  bool reads;
  void (*loops::*work)(turn&);
};

[[nodiscard]] std::span<workload const> all_workloads();

/// Fills `memory_to_read`: 64 MB.
void prepare_reads();

}  // namespace pairs
