// SPDX-License-Identifier: MIT
#include "engine/tracked_block.hpp"

#include <cmath>

#include "base/base.hpp"
#include "engine/nursery.hpp"
#include "engine/thread_state.hpp"
#include "engine/totals.hpp"

namespace memprof::engine {
namespace {

constinit base::index_pool<tracked_block> pool;

}  // namespace

tracked_block& block_at(std::uint32_t index) noexcept { return pool[index]; }

contribution contribution_of(std::int64_t counted_words, double per_word) noexcept {
  const double size = static_cast<double>(counted_words) * 8.0;
  if (per_word >= 1.0) return {.weight = counted_words * 8, .variance = 0};
  const double missed = std::exp(static_cast<double>(counted_words) * std::log1p(-per_word));
  const double weight = size / (1.0 - missed);
  return {.weight = std::llround(weight),
          .variance = std::llround(weight * weight * missed / variance_unit)};
}

std::uint32_t track(new_block const& block) noexcept {
  const std::uint32_t index = pool.acquire();
  if (index == 0) {
    total.dropped_blocks.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  tracked_block& record = pool[index];
  record.address = block.address;
  record.raw = block.raw;
  record.slot = block.slot;
  record.from = block.from;
  record.size = block.size;
  record.n_samples = block.n_samples;
  record.per_word = current.law.per_word();
  record.born = current.position;
  record.counts = contribution_of(block.counted_words, record.per_word);
  record.owner = retain(current.owner);
  charge(record.owner, record.counts);

  const bool minor = block.counted_words <= largest_minor_words && !current.exited;
  if (minor) {
    total.minor.add(record.counts);
    record.state.store(block_state::minor, std::memory_order_relaxed);
    enter_nursery(index);
  } else {
    total.major.add(record.counts);
    record.state.store(block_state::major, std::memory_order_relaxed);
  }
  return index;
}

void untrack(std::uint32_t index) noexcept {
  tracked_block& record = pool[index];
  const contribution counts = record.counts;
  account* const owner = record.owner;
  // From the exchange on a minor record belongs to its nursery, which may recycle it at once.
  const block_state last = record.state.exchange(block_state::dead, std::memory_order_acq_rel);
  if (last == block_state::major) {
    total.major.subtract(counts);
    pool.release(index);
  } else {
    total.minor.subtract(counts);
  }
  discharge(owner, counts);
  release(owner);
}

bool promote_or_recycle(std::uint32_t index) noexcept {
  tracked_block& record = pool[index];
  // Read before the exchange: afterwards a free on another thread may recycle the record.
  const contribution counts = record.counts;
  block_state expected = block_state::minor;
  if (record.state.compare_exchange_strong(expected, block_state::major,
                                           std::memory_order_acq_rel)) {
    total.minor.subtract(counts);
    total.major.add(counts);
    total.promotions.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  pool.release(index);
  return false;
}

}  // namespace memprof::engine
