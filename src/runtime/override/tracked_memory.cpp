// SPDX-License-Identifier: MIT
#include "override/tracked_memory.hpp"

#include <algorithm>
#include <cstring>

#include "base/base.hpp"
#include "override/good_size.hpp"
#include "override/next_malloc.hpp"
#include "override/own_code.hpp"

namespace memprof::override {
namespace {

// A slot is a page for one small sampled block. Slot i is always in chunk i / 1024; a chunk
// is 4 MiB of address space, committed page by page as its slots are first used.
constexpr std::size_t slot_size = tag_alignment;
constexpr std::uint32_t slots_per_chunk = 1024;
constexpr std::size_t chunk_size = slot_size * slots_per_chunk;

struct slot {};

constinit base::index_pool<slot> slots;
constinit thread_local base::spare_index spare;
constinit std::atomic<bool> watching_exits{false};

std::uint32_t acquire_slot() noexcept {
  if (!watching_exits.load(std::memory_order_relaxed)) [[unlikely]] {
    // A thread that keeps a slot has acquired or released one after this.
    if (!engine::on_thread_exit([] { spare.give_back(slots); })) return slots.acquire();
    watching_exits.store(true, std::memory_order_relaxed);
  }
  return spare.acquire(slots);
}

void release_slot(std::uint32_t index) noexcept {
  const bool may_keep = engine::current.keeps && watching_exits.load(std::memory_order_relaxed);
  spare.release(slots, index, may_keep);
}
constinit std::atomic<char*> chunks[std::size_t{1} << 14]{};

char* slot_memory(std::uint32_t index) noexcept {
  std::atomic<char*>& entry = chunks[index / slots_per_chunk];
  char* chunk = entry.load(std::memory_order_acquire);
  if (chunk == nullptr) {
    auto* const fresh = static_cast<char*>(base::map_pages(chunk_size));
    if (fresh == nullptr) return nullptr;
    if (entry.compare_exchange_strong(chunk, fresh, std::memory_order_acq_rel)) {
      chunk = fresh;
    } else {
      base::unmap_pages(fresh, chunk_size);
    }
  }
  return chunk + std::size_t{index % slots_per_chunk} * slot_size;
}

/// Where a tracked block lies.
struct placement {
  char* address = nullptr;
  void* raw = nullptr;     ///< of the real allocator, or
  std::uint32_t slot = 0;  ///< the slot
};

placement place_in_slot(request const& r) noexcept {
  const std::uint32_t index = acquire_slot();
  if (index == 0) return {};
  char* const memory = slot_memory(index);
  if (memory == nullptr) {
    release_slot(index);
    return {};
  }
  if (r.zeroed) std::memset(memory, 0, r.size);
  return {.address = memory, .raw = nullptr, .slot = index};
}

MEMPROF_OWN_CODE placement place_in_next(request const& r) noexcept {
  const std::size_t alignment = std::max(r.alignment, tag_alignment);
  std::size_t total = 0;
  if (__builtin_add_overflow(r.size, alignment, &total)) return {};
  // Not memalign: near glibc's mmap threshold it is a hundred times slower, and the aligned
  // chunk would later come from its cache for unsampled blocks and make ordinary frees slow.
  void* const raw = r.zeroed ? next_malloc.calloc(1, total) : next_malloc.malloc(total);
  if (raw == nullptr) return {};
  const auto start = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (start + alignment - 1) & ~(alignment - 1);
  return {.address = static_cast<char*>(raw) + (aligned - start), .raw = raw, .slot = 0};
}

void give_back(std::uint32_t slot, void* raw) noexcept {
  if (slot != 0) {
    release_slot(slot);
  } else {
    next_malloc.free(raw);
  }
}

}  // namespace

MEMPROF_OWN_CODE void* allocate_tracked(request const& r, engine::event const& e) noexcept {
  placement placed;
  if (r.size <= slot_size && r.alignment <= tag_alignment) placed = place_in_slot(r);
  if (placed.address == nullptr) placed = place_in_next(r);
  if (placed.address == nullptr) return nullptr;
  const std::uint32_t index = engine::track({.address = placed.address,
                                             .raw = placed.raw,
                                             .slot = placed.slot,
                                             .from = r.from,
                                             .size = r.size,
                                             .counted_words = e.words(),
                                             .n_samples = e.n_samples(),
                                             .frame = r.frame});
  if (index != 0 && engine::insert_page(placed.address, index)) return placed.address;
  if (index != 0) engine::untrack(index);
  give_back(placed.slot, placed.raw);
  return nullptr;
}

std::size_t capacity(std::uint32_t index) noexcept {
  engine::tracked_block const& block = engine::block_at(index);
  if (block.slot != 0) return slot_size;
  const auto offset = static_cast<char*>(block.address) - static_cast<char*>(block.raw);
  return next_malloc.malloc_usable_size(block.raw) - static_cast<std::size_t>(offset);
}

std::size_t usable_size(std::uint32_t index) noexcept {
  return std::min(capacity(index), good_size(engine::block_at(index).size));
}

void free_tracked(std::uint32_t index) noexcept {
  engine::tracked_block const& block = engine::block_at(index);
  const std::uint32_t slot = block.slot;
  void* const raw = block.raw;
  engine::erase_page(block.address);
  engine::untrack(index);
  give_back(slot, raw);
}

}  // namespace memprof::override
