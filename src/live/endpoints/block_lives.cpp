// SPDX-License-Identifier: MIT
#include "endpoints/block_lives.hpp"

#include <algorithm>

#include "page_columns/page_columns.hpp"

namespace memprof::endpoints {
namespace {

constexpr int most_tries = 4;

/// Of this thread, from 1; 0: it has no sample yet.
constinit thread_local std::uint32_t thread_number = 0;
constinit std::atomic<std::uint32_t> last_thread{0};

std::uint32_t number_of_thread() noexcept {
  if (thread_number == 0) thread_number = last_thread.fetch_add(1, std::memory_order_relaxed) + 1;
  return thread_number;
}

void raise_to(std::atomic<std::int64_t>& to, std::int64_t value) noexcept {
  std::int64_t seen = to.load(std::memory_order_relaxed);
  while (seen < value && !to.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

void block_lives::copy(block_record const& from, block_record& to) noexcept {
  to.words.store(from.words.load(relaxed), release);
  to.samples.store(from.samples.load(relaxed), release);
  to.where.store(from.where.load(relaxed), release);
  to.born.store(from.born.load(relaxed), release);
  to.promoted.store(from.promoted.load(relaxed), release);
}

block_life block_lives::life_of(block_record const& r) noexcept {
  const std::uint64_t where = r.where.load(acquire);
  return {.words = std::max<std::uint64_t>(1, r.words.load(acquire)),
          .samples = r.samples.load(acquire),
          .between = r.before.load(acquire),
          .stack = where >> (heap_bits + thread_bits),
          .heap = static_cast<std::uint8_t>(where & ((1U << heap_bits) - 1)),
          .born = r.born.load(acquire),
          .promoted = r.promoted.load(acquire)};
}

/// Another halving, if there is little room and the last one is through; and a part of it.
void block_lives::make_room() noexcept {
  const std::uint32_t last = slots_.highest();
  std::uint64_t sweep = sweep_.load(acquire);
  const bool little_room = live_.load(relaxed) >= most_live_ / 4 * 3;
  if (static_cast<std::uint32_t>(sweep) > last) {
    if (!little_room) return;
    const std::uint64_t next = ((sweep >> 32) + 1) << 32 | 1;
    if (!sweep_.compare_exchange_strong(sweep, next, std::memory_order_acq_rel)) return;
    sweep = next;
  }
  const auto from = static_cast<std::uint32_t>(sweep);
  const std::uint64_t behind = sweep + swept_at_once;
  if (!sweep_.compare_exchange_strong(sweep, behind, std::memory_order_acq_rel)) return;
  for (std::uint32_t i = from; i < from + swept_at_once && i <= last; ++i) {
    live_slot& s = slots_[i];
    std::uint64_t id = s.id.load(acquire);
    if (id == 0 || (id & claimed) != 0) continue;
    const std::uint64_t samples = s.block.samples.load(acquire);
    if (page_columns::thinned_samples(samples, id, static_cast<unsigned>(behind >> 32)) > 0)
      continue;
    if (s.id.compare_exchange_strong(id, 0, acquire, relaxed)) drop(i);
  }
}

/// It is nobody's: its number is 0.
void block_lives::drop(std::uint32_t slot) noexcept {
  slots_.release(slot);
  live_.fetch_sub(1, relaxed);
}

kept_life block_lives::begin(block_birth const& b, std::int64_t now) noexcept {
  const std::uint64_t id = ids_.fetch_add(1, relaxed) + 1;
  const std::uint32_t thread = number_of_thread() % thread_counters;
  const std::uint64_t before = of_thread_[thread].fetch_add(b.samples, relaxed) + b.samples;
  make_room();
  if (page_columns::thinned_samples(b.samples, id, halvings()) == 0) return {};
  const bool fits = live_.fetch_add(1, relaxed) < most_live_;
  const std::uint32_t slot = fits ? slots_.acquire() : 0;
  if (slot == 0) {
    live_.fetch_sub(1, relaxed);
    lost_.fetch_add(b.samples, relaxed);
    return {};
  }
  live_slot& s = slots_[slot];
  s.block.words.store(b.words, release);
  s.block.samples.store(b.samples, release);
  s.block.before.store(before, release);
  s.block.where.store(b.stack << (heap_bits + thread_bits) | thread << heap_bits | b.heap, release);
  s.block.born.store(now, release);
  s.block.promoted.store(-1, release);
  s.id.store(id, release);
  return {.id = id, .slot = slot};
}

bool block_lives::claim(kept_life life) noexcept {
  std::uint64_t id = life.id;
  return id != 0 &&
         slots_[life.slot].id.compare_exchange_strong(id, id | claimed, acquire, relaxed);
}

void block_lives::promote(kept_life life, std::int64_t now) noexcept {
  if (!claim(life)) return;
  live_slot& s = slots_[life.slot];
  s.block.promoted.store(now, release);
  s.id.store(life.id, release);
}

void block_lives::end(kept_life life, std::int64_t now) noexcept {
  if (!claim(life)) return;
  live_slot& s = slots_[life.slot];
  // First: whoever does not find it in the table any more finds it in the ring.
  if (now < watched_until_.load(acquire)) keep_freed(s, now);
  s.id.store(0, release);
  drop(life.slot);
}

void block_lives::keep_freed(live_slot const& s, std::int64_t now) noexcept {
  freed_slot* const ring = ring_.load(acquire);
  for (int i = 0; i < most_tries; ++i) {
    const std::uint64_t turn = freed_.fetch_add(1, relaxed);
    freed_slot& to = ring[turn & (most_freed_ - 1)];
    // Busy: its thread was overtaken by the whole ring, or is not there any more, in a child.
    std::uint64_t seen = to.turn.load(relaxed);
    if (seen == busy || !to.turn.compare_exchange_strong(seen, busy, acquire, relaxed)) continue;
    if (seen != 0) raise_to(freed_since_, to.freed.load(relaxed));
    copy(s.block, to.block);
    const std::uint64_t now_of_thread = of_thread_[thread_of(s.block)].load(relaxed);
    to.block.before.store(now_of_thread - s.block.before.load(relaxed), release);
    to.id.store(s.id.load(relaxed) & ~claimed, release);
    to.freed.store(now, release);
    to.turn.store(turn + 1, release);
    return;
  }
}

bool block_lives::watch(std::int64_t now, std::int64_t until) noexcept {
  if (ring_.load(relaxed) == nullptr) {
    void* const pages = base::map_pages(most_freed_ * sizeof(freed_slot));
    if (pages == nullptr) return false;
    ring_.store(static_cast<freed_slot*>(pages), release);  // not constructed: stays uncommitted
  }
  if (now >= watched_until_.load(relaxed)) raise_to(freed_since_, now);
  watched_until_.store(until, release);
  return true;
}

void block_lives::add_live(lives_snapshot& to, std::int64_t now) {
  const std::uint32_t last = slots_.highest();
  for (std::uint32_t i = 1; i <= last; ++i) {
    live_slot const& s = slots_[i];
    const std::uint64_t id = s.id.load(acquire) & ~claimed;
    if (id == 0) continue;
    block_life life = life_of(s.block);
    if ((s.id.load(relaxed) & ~claimed) != id || life.born > now) continue;
    life.id = id;
    to.lives.push_back(life);
  }
}

void block_lives::add_freed(lives_snapshot& to, std::int64_t now) const {
  freed_slot const* const ring = ring_.load(acquire);
  if (ring == nullptr) return;
  for (std::uint32_t i = 0; i < most_freed_; ++i) {
    const std::uint64_t turn = ring[i].turn.load(acquire);
    if (turn == 0 || turn == busy) continue;
    block_life life = life_of(ring[i].block);
    life.id = ring[i].id.load(acquire);
    life.freed = ring[i].freed.load(acquire);
    if (ring[i].turn.load(relaxed) != turn || life.born > now) continue;
    to.lives.push_back(life);
  }
}

lives_snapshot block_lives::snapshot(std::int64_t now) {
  lives_snapshot result;
  result.lives.reserve(live_.load(relaxed) +
                       std::min<std::uint64_t>(freed_.load(relaxed), most_freed_));
  add_live(result, now);
  add_freed(result, now);
  // Of what was overwritten meanwhile some is here, some is not: all of it goes.
  result.freed_since = std::min(now, freed_since_.load(acquire));
  result.halvings = halvings();
  result.lost = lost_.load(relaxed);
  // The copy of a block that was freed is the better one of two.
  std::ranges::sort(result.lives, [](block_life const& a, block_life const& b) {
    return a.id != b.id ? a.id < b.id : a.freed > b.freed;
  });
  const auto same = [](block_life const& a, block_life const& b) { return a.id == b.id; };
  const auto copies = std::ranges::unique(result.lives, same);
  result.lives.erase(copies.begin(), copies.end());
  for (block_life& l : result.lives) {
    if (l.freed > now) l.freed = -1;
    l.samples = page_columns::thinned_samples(l.samples, l.id, result.halvings);
  }
  std::erase_if(result.lives, [&](block_life const& l) {
    return l.samples == 0 || (l.freed >= 0 && l.freed <= result.freed_since);
  });
  return result;
}

}  // namespace memprof::endpoints
