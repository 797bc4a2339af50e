// SPDX-License-Identifier: MIT
#include "endpoints/live_index.hpp"

#include <algorithm>

#include "endpoints/answer_work.hpp"
#include "endpoints/live_profile.hpp"
#include "endpoints/packed_blocks.hpp"

namespace memprof::endpoints {

void live_index::refresh(code_names& names) {
  const auto begin = clock::now();
  const auto worked = processor_time_of_thread();
  const std::uint64_t changes = block_changes();
  if (generation_ != 0 && (begin < next_ || changes == changes_)) return watch_blocks(patience);
  bytes_ = packed_blocks(take_block_snapshot(patience), names, generation_ + 1, facts_);
  changes_ = changes;
  ++generation_;
  const auto work = processor_time_of_thread() - worked;
  next_ = begin + std::max<clock::duration>(std::chrono::seconds(1), 20 * work);
}

}  // namespace memprof::endpoints
