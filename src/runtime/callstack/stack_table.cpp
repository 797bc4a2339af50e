// SPDX-License-Identifier: MIT
#include "callstack/stack_table.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/base.hpp"
#include "callstack/capture.hpp"
#include "callstack/frames_hash.hpp"

namespace memprof::callstack {
namespace {

constinit stack_table table;

}  // namespace

std::uintptr_t* stack_table::words_at(stack_id id) const noexcept {
  return chunks_[id / chunk_words].load(std::memory_order_acquire) + id % chunk_words;
}

stack_table::entry* stack_table::entry_at(stack_id id) const noexcept {
  return std::launder(reinterpret_cast<entry*>(words_at(id)));
}

/// The stack in the list [from, until), 0 if it is not there.
stack_id stack_table::find(stack_id from, stack_id until, std::uint64_t hash,
                           std::span<std::uintptr_t const> frames) const noexcept {
  for (stack_id id = from; id != until;) {
    entry const& e = *entry_at(id);
    if (e.hash == hash &&
        std::memcmp(words_at(id) + header_words, frames.data(), frames.size_bytes()) == 0) {
      return id;
    }
    id = static_cast<stack_id>(e.next);
  }
  return 0;
}

bool stack_table::ensure_chunk(std::uint32_t chunk) noexcept {
  if (chunks_[chunk].load(std::memory_order_acquire) != nullptr) return true;
  constexpr std::size_t size = std::size_t{chunk_words} * sizeof(std::uintptr_t);
  void* const memory = base::map_pages(size);
  if (memory == nullptr) return false;
  std::uintptr_t* expected = nullptr;
  if (!chunks_[chunk].compare_exchange_strong(expected, static_cast<std::uintptr_t*>(memory),
                                              std::memory_order_acq_rel)) {
    base::unmap_pages(memory, size);
  }
  return true;
}

/// Words for the caller alone, within one chunk; 0 if there are none.
stack_id stack_table::take(std::uint32_t words) noexcept {
  std::uint32_t next = next_word_.load(std::memory_order_relaxed);
  std::uint64_t first;
  do {
    first = next;
    if (first % chunk_words + words > chunk_words) first += chunk_words - first % chunk_words;
    if (first + words >= std::uint64_t{limit_} * chunk_words) return 0;
    if (!ensure_chunk(static_cast<std::uint32_t>(first / chunk_words))) return 0;
  } while (!next_word_.compare_exchange_weak(next, static_cast<std::uint32_t>(first + words),
                                             std::memory_order_relaxed));
  return static_cast<stack_id>(first);
}

stack_id stack_table::intern(std::span<std::uintptr_t const> frames) noexcept {
  if (frames.empty()) return 0;
  frames = frames.first(std::min(frames.size(), largest_stack));
  const std::uint64_t hashed = hash_of(frames);
  const std::uint64_t hash = (hashed & ~length_mask) | frames.size();
  std::atomic<stack_id>& bucket = buckets_[hashed >> (64 - bucket_bits)];
  stack_id first = bucket.load(std::memory_order_acquire);
  if (const stack_id known = find(first, 0, hash, frames)) return known;
  const stack_id id = take(header_words + static_cast<std::uint32_t>(frames.size()));
  if (id == 0) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  entry* const e = ::new (static_cast<void*>(words_at(id))) entry{.next = first, .hash = hash};
  std::memcpy(words_at(id) + header_words, frames.data(), frames.size_bytes());
  stack_id seen = first;
  while (!bucket.compare_exchange_weak(first, id, std::memory_order_release,
                                       std::memory_order_acquire)) {
    // Another thread may just have added this stack: then our words are lost.
    if (const stack_id known = find(first, seen, hash, frames)) return known;
    seen = first;
    e->next = first;
  }
  stacks_.fetch_add(1, std::memory_order_relaxed);
  return id;
}

std::span<std::uintptr_t const> stack_table::frames_of(stack_id id) const noexcept {
  if (id == 0 || id >= next_word_.load(std::memory_order_relaxed)) return {};
  return {words_at(id) + header_words, static_cast<std::size_t>(entry_at(id)->hash & length_mask)};
}

stack_table_size stack_table::size() const noexcept {
  const std::uint32_t words = next_word_.load(std::memory_order_relaxed);
  const std::uint64_t chunks = words <= 1 ? 0 : words / chunk_words + 1;
  return {.stacks = stacks_.load(std::memory_order_relaxed),
          .bytes = chunks * chunk_words * sizeof(std::uintptr_t),
          .refused = refused_.load(std::memory_order_relaxed)};
}

stack_id intern(std::span<std::uintptr_t const> frames) noexcept { return table.intern(frames); }

std::span<std::uintptr_t const> frames_of(stack_id id) noexcept { return table.frames_of(id); }

}  // namespace memprof::callstack
