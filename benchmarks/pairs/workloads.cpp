// SPDX-License-Identifier: MIT
#include "workloads.hpp"

#include "work.hpp"

namespace pairs {

std::vector<std::uint64_t> memory_to_read;

void live_blocks::fill(allocator_functions const& functions, std::size_t count) {
  blocks.resize(count);
  for (std::size_t i = 0; i < count; ++i) blocks[i] = functions.malloc(16 + i * 31 % 497);
}

void live_blocks::empty(allocator_functions const& functions) {
  for (void* const block : blocks) functions.free(block);
  blocks.clear();
}

void prepare_reads() {
  if (!memory_to_read.empty()) return;
  memory_to_read.resize((std::size_t{64} << 20) / sizeof(std::uint64_t), 1);
}

std::span<workload const> all_workloads() {
  static constexpr workload all[] = {
      {"16", "16 B", 0, false, &loops::pairs_16},
      {"64", "64 B", 0, false, &loops::pairs_64},
      {"512", "512 B", 0, false, &loops::pairs_512},
      {"4k", "4 KB", 0, false, &loops::pairs_4k},
      {"64k", "64 KB, not touched", 0, false, &loops::pairs_64k},
      {"64k-written", "64 KB, written", 0, false, &loops::pairs_64k_written},
      {"1m", "1 MB, not touched", 0, false, &loops::pairs_1m},
      {"8x64", "8 x 64 B, then 8 frees", 0, false, &loops::batches_64},
      {"rnd", "16 to 512 B, 512 live", 512, false, &loops::random_victim},
      {"wide", "16 to 512 B, 50 000 live", 50'000, false, &loops::random_victim},
      {"thr4", "as rnd, 4 reads of 64 MB between", 512, true, &loops::random_and_reads},
      {"new", "new and delete, 64 B", 0, false, &loops::new_delete_64},
  };
  return all;
}

}  // namespace pairs
