// SPDX-License-Identifier: MIT
// How much is live: as bytes in ordinary blocks, and as blocks that are sampled.
#include <cstdint>
#include <new>

#include "library.hpp"
#include "measure.hpp"

namespace growth {

namespace {

/// Blocks of 64 bytes in a list, so that to hold them takes nothing more.
class held_blocks {
 public:
  /// Nanoseconds of this thread for each.
  double fill(std::int64_t count) {
    const std::int64_t start = thread_ns();
    for (std::int64_t i = 0; i < count; ++i) {
      auto* const block = static_cast<link*>(::operator new(64));
      block->next = first_;
      first_ = block;
    }
    return static_cast<double>(thread_ns() - start) / static_cast<double>(count);
  }
  double clear() {
    std::int64_t count = 0;
    const std::int64_t start = thread_ns();
    for (; first_ != nullptr; ++count) {
      link* const next = first_->next;
      ::operator delete(first_);
      first_ = next;
    }
    return static_cast<double>(thread_ns() - start) / static_cast<double>(count);
  }

 private:
  struct link {
    link* next;
  };
  link* first_ = nullptr;
};

}  // namespace

findings heap(std::int64_t bytes) {
  const std::int64_t count = bytes / 64;
  mixture load;
  held_blocks held;
  findings found;
  const std::int64_t before = resident_bytes();
  found.emplace_back("fill ns", held.fill(count));
  found.emplace_back("bytes per block",
                     static_cast<double>(resident_bytes() - before) / static_cast<double>(count));
  found.emplace_back("pair ns", load.ns_per_pair());
  found.emplace_back("free ns", held.clear());
  return found;
}

findings samples(std::int64_t count) {
  mixture load;
  held_blocks held;
  findings found;
  load.run(100'000);
  const std::int64_t before = resident_bytes();
  sample_at(1);
  found.emplace_back("fill ns", held.fill(count));
  found.emplace_back("bytes per sample",
                     static_cast<double>(resident_bytes() - before) / static_cast<double>(count));
  found.emplace_back("sampled pair ns", ns_per_pair_of(64, 5'000));
  found.emplace_back("live samples", live_samples());
  sample_at(1e-4);
  load.run(1'000'000);  // blocks of the load that were sampled at rate 1 go
  found.emplace_back("pair ns at 1e-4", load.ns_per_pair());
  found.emplace_back("free ns", held.clear());
  return found;
}

}  // namespace growth
