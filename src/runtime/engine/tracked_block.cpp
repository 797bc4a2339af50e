// SPDX-License-Identifier: MIT
#include "engine/tracked_block.hpp"

#include "base/base.hpp"
#include "engine/estimate_audit.hpp"
#include "engine/nursery.hpp"
#include "engine/observer_calls.hpp"
#include "engine/static_probes.hpp"
#include "engine/thread_state.hpp"
#include "engine/totals.hpp"

namespace memprof::engine {
namespace {

constinit base::index_pool<tracked_block, 10, base::pool_memory::returned> pool;
constinit thread_local base::spare_index spare;

void recycle(std::uint32_t index) noexcept { spare.release(pool, index, current.keeps); }

observer_tags tags_of(tracked_block const& record) noexcept {
  observer_tags tags{};
  for (std::size_t i = 0; i < observer_slots; ++i) {
    tags[i] = record.tags[i].load(std::memory_order_relaxed);
  }
  return tags;
}

void store_tags(tracked_block& record, observer_tags const& tags) noexcept {
  for (std::size_t i = 0; i < observer_slots; ++i) {
    record.tags[i].store(tags[i], std::memory_order_relaxed);
  }
}

}  // namespace

tracked_block& block_at(std::uint32_t index) noexcept { return pool[index]; }

std::uint32_t track(new_block const& block) noexcept {
  const std::uint32_t index = spare.acquire(pool);
  if (index == 0) return 0;
  tracked_block& record = pool[index];
  record.raw = block.raw;
  record.slot = block.slot;
  record.size = block.size;
  record.born = current.position;
  record.owner = retain(current.owner);
  const rounded_contribution counts =
      contribution_of(block.counted_words, law_of_block()).rounded();
  record.counts = counts;
  check_tracked(counts);
  charge(record.owner, counts);
  probe_alloc(block.address, block.size, static_cast<std::uint64_t>(counts.weight));
  record.stack = 0;
  if (record.owner != nullptr && record.owner->by_stack) [[unlikely]]
    record.stack = charge_stack(record.owner, block.frame, counts);

  const bool minor = block.counted_words <= largest_minor_words && !current.exited;
  // Before the record can be promoted: an observer's function may end other events.
  store_tags(record, notify_allocated(block, minor));
  if (minor) {
    add_minor(counts);
    record.state.store(block_state::minor, std::memory_order_relaxed);
    enter_nursery(index);
  } else {
    take_back_grant();
    process_totals.major.add(counts);
    record.state.store(block_state::major, std::memory_order_relaxed);
  }
  return index;
}

void untrack(std::uint32_t index, void const* address) noexcept {
  tracked_block& record = pool[index];
  probe_free(address);
  // Read before the state changes: then the record may belong to its nursery, or to the thread that
  // promotes it, which may recycle it at once. While it is minor no thread changes the tags.
  const rounded_contribution counts = record.counts;
  account* const owner = record.owner;
  const std::uint32_t stack = record.stack;
  observer_tags tags = tags_of(record);
  block_state last = record.state.load(std::memory_order_acquire);
  while (last != block_state::major) {
    const block_state next =
        last == block_state::promoting ? block_state::outlived : block_state::dead;
    if (record.state.compare_exchange_weak(last, next, std::memory_order_acq_rel,
                                           std::memory_order_acquire)) {
      break;
    }
  }
  if (last == block_state::minor) {
    subtract_minor(counts);
  } else {
    process_totals.major.subtract(counts);
  }
  if (last == block_state::major) {
    tags = tags_of(record);
    recycle(index);
  }
  discharge(owner, counts);
  if (stack != 0) [[unlikely]]
    discharge_stack(owner, stack, counts);
  release(owner);
  if (last != block_state::promoting) notify_freed(tags, last == block_state::major);
}

void give_back_spare_record() noexcept { spare.give_back(pool); }

void drop_block() noexcept {
  forgo_block();
  process_totals.dropped_blocks.fetch_add(1, std::memory_order_relaxed);
}

void count_aligned_block() noexcept {
  process_totals.aligned_blocks.fetch_add(1, std::memory_order_relaxed);
}

bool promote_or_recycle(std::uint32_t index) noexcept {
  tracked_block& record = pool[index];
  // The usual end of a young block. Acquire: the thread that freed it no longer reads the record.
  if (record.state.load(std::memory_order_acquire) == block_state::dead) {
    recycle(index);
    return false;
  }
  // Read before the exchange: afterwards a free on another thread may recycle the record.
  const rounded_contribution counts = record.counts;
  const observer_tags tags = tags_of(record);
  const bool observed = any_of(tags);
  block_state expected = block_state::minor;
  if (!record.state.compare_exchange_strong(expected,
                                            observed ? block_state::promoting : block_state::major,
                                            std::memory_order_acq_rel)) {
    recycle(index);
    return false;
  }
  subtract_minor(counts);
  process_totals.major.add(counts);
  process_totals.promotions.fetch_add(1, std::memory_order_relaxed);
  if (!observed) return true;
  const observer_tags left = notify_promoted(tags);
  store_tags(record, left);
  expected = block_state::promoting;
  if (record.state.compare_exchange_strong(expected, block_state::major,
                                           std::memory_order_acq_rel)) {
    return true;
  }
  // Freed during the notification, and already off the accounts.
  recycle(index);
  notify_freed(left, true);
  return true;
}

}  // namespace memprof::engine
